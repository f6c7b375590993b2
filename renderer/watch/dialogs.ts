import { isSeen } from '../../contract/seen-text.ts'
import { element } from './element.ts'
import { say, type Word } from './words.ts'

/** Calls `done` with the texts unless cancelled. */
export function askFor(
  options: {
    readonly title: Word
    readonly action: Word
    readonly note?: Word
    readonly fields: readonly {
      readonly label: Word
      readonly type: 'text' | 'password'
      readonly most: number
      readonly value?: string
    }[]
  },
  done: (values: readonly string[]) => void,
): void {
  const inputs = options.fields.map(({ type, most, value = '' }) =>
    element('input', { type, maxlength: String(most), value, required: '', autocomplete: 'off', spellcheck: 'false' }),
  )
  const cancel = element('button', { type: 'button' }, say('cancel'))
  const form = element(
    'form',
    { method: 'dialog' },
    element('h2', { id: 'dialog-title' }, say(options.title)),
    ...options.fields.map(({ label }, index) => element('label', {}, element('span', {}, say(label)), inputs[index]!)),
    ...(options.note ? [element('p', { class: 'note' }, say(options.note))] : []),
    element(
      'div',
      { class: 'actions' },
      cancel,
      element('button', { type: 'submit', class: 'primary' }, say(options.action)),
    ),
  )
  const dialog = element('dialog', { 'aria-labelledby': 'dialog-title' }, form)
  cancel.addEventListener('click', () => dialog.close())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const values = inputs.map(({ value }) => value.trim())
    // Longer texts would end the connection.
    if (values.some((value, index) => !isSeen(value) || value.length > (options.fields[index]?.most ?? 0))) return
    dialog.close()
    done(values)
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  inputs[0]?.focus()
}
