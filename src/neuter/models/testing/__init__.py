"""A server on loopback that speaks the OpenAI protocol, misbehaves on demand and counts: for tests.

``python -m neuter.models.testing --help`` says what it can be told to do.
"""

from neuter.models.testing.server import ANSWER as ANSWER
from neuter.models.testing.server import Behaviour as Behaviour
from neuter.models.testing.server import LoopbackServer as LoopbackServer
from neuter.models.testing.server import loopback_server as loopback_server
from neuter.models.testing.server import main as main
