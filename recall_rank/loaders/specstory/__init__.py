"""SpecStory pages."""
