"""The loader of SpecStory pages."""
