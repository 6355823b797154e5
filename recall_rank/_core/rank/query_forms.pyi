# Rooms only: there is nothing here that Python can call.
