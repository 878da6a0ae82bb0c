"""The probe: which model can be trained here, and does it earn anything before it is."""
