"""A suite of a user's own, as a file's text."""

OWN = """
class Nothing:
    name = "nothing"
    title = "A suite that asks nothing"
    def __init__(self, *, word="none"):
        self.word = word
    def configuration(self, setting):
        return {"word": self.word, "models": list(setting.models)}
    def about(self):
        return {"suite": self.name}
    def reads(self):
        return []
    def requests(self, setting):
        return []
    def run(self, setting, folder):
        from neuter.scoring import empty_scores, write_scores
        write_scores(empty_scores(), folder.path)
        folder.save(status="done")
"""
