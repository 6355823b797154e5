"""Questions about the published histories with graded answers, and questions that these cannot answer."""
