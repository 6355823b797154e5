"""The loader of Codex rollouts, that is the session files of Codex."""
