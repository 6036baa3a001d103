"""What people read of a recall run: the tables of the paper with its figures beside, and its figures drawn anew."""
