"""The rogue's server, with absolute imports of a package that nobody installed."""

from openenv.core.env_server.http_server import create_app
from rogue.models import RogueAction, RogueObservation
from rogue.server.environment import RogueEnvironment

app = create_app(RogueEnvironment, RogueAction, RogueObservation, max_concurrent_envs=4)
