"""What the tests with the real Ray share."""
import pytest


@pytest.fixture
def cluster():
    """Returns a cluster of three machines that are simulated on this one. Its head has no processors."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.workers = [made.add_node(num_cpus=1) for _ in range(2)]
    yield made
    made.shutdown()
