"""The gridworld's server, in the layout of OpenEnv's template."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import GridAction, GridObservation
    from .environment import GridEnvironment
except ImportError:
    from server.environment import GridEnvironment

    from models import GridAction, GridObservation

app = create_app(
    GridEnvironment, GridAction, GridObservation, env_name="gridworld", max_concurrent_envs=8
)
