### Texts that forms share: errors of a form as a whole, forms that outlive their session, and the popup
### that shows a secret once.

# An editable list, such as the headers of a webhook, has more rows than it may have.
forms-too-many-rows = Must have at most { $count } rows.
# More fields were sent than any form has.
forms-too-many-fields = Has too many rows.
# A field is longer than anything that its form accepts.
forms-too-long = Must be at most { $count } bytes.
forms-unreadable = Cannot be read.
# Above the fields of a form.
forms-required = Fields with an asterisk (*) are required.

## A form whose session had ended

# The button that opens the form again with what was typed.
forms-continue = Continue with the form
forms-opened-again = Check your entries and send the form again. Secrets must be entered again.

## A form of a record that somebody else has changed

forms-changed = Somebody else changed this while you edited it. Choose a value for each field below, then save again.
# In front of the value that somebody else saved.
forms-changed-stored = Stored now:
# In front of the value in the form.
forms-changed-typed = Yours:
forms-changed-empty = empty
# A checkbox that is ticked.
forms-changed-on = on

## The popup that shows a new key or secret once

forms-once-copy = Copy
# $extension: how the file's name ends, such as ".PAK".
forms-once-save = Save { $extension }
# Closes the popup.
forms-once-done = Done
# Without scripts, in place of the button "Copy".
forms-once-select = Select the text to copy it.
# Asked before the popup closes.
forms-once-unsaved = You have neither copied nor saved it, and it cannot be shown again.
forms-once-back = Go back
forms-once-discard = Close anyway
# Without scripts, the box to tick before the popup closes.
forms-once-kept = I have copied or saved it
