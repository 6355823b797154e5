"""Ranking: chooses the hits to rerank, scores them by their passages, and puts all hits in final order."""
