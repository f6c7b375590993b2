import { afterEach, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { askFor } from './dialogs.ts'
import { say } from './words.ts'

afterEach(() => document.body.replaceChildren())

/** The dialog with what it gave. */
function show(most = 5) {
  const given: (readonly string[])[] = []
  askFor(
    {
      title: 'signIn',
      action: 'save',
      note: 'signInNote',
      fields: [
        { label: 'account', type: 'text', most, value: 'ab' },
        { label: 'token', type: 'password', most },
      ],
    },
    (values) => given.push(values),
  )
  const dialog = document.querySelector('dialog')!
  const [account, token] = [...dialog.querySelectorAll('input')] as [HTMLInputElement, HTMLInputElement]
  return { given, dialog, account, token, save: dialog.querySelector<HTMLButtonElement>('.primary')! }
}

it('has a title, fields with what they begin with, a note and the focus in the first field', () => {
  const { dialog, account, token } = show()
  expect(dialog.querySelector(`#${dialog.getAttribute('aria-labelledby')}`)?.textContent).toBe(say('signIn'))
  expect(dialog.querySelector('.note')?.textContent).toBe(say('signInNote'))
  expect([account.value, account.maxLength, account.type]).toEqual(['ab', 5, 'text'])
  expect([token.value, token.type, token.autocomplete]).toEqual(['', 'password', 'off'])
  expect(document.activeElement).toBe(account)
  expect(dialog.matches(':modal')).toBe(true)
})

it('gives the texts without the space around them, with Enter too, and leaves', async () => {
  const { given, token, account, dialog } = show()
  account.value = ' ab '
  token.value = ' c '
  token.focus()
  await userEvent.keyboard('{Enter}')
  expect(given).toEqual([['ab', 'c']])
  await expect.poll(() => dialog.isConnected).toBe(false)
})

it.each([
  ['is empty', ''],
  ['has nothing to be seen', '​'],
  ['is too long', 'abcdef'],
])('gives nothing where a text %s, and stays open', (_case, text) => {
  const { given, token, save, dialog } = show()
  token.value = text
  save.click()
  expect(given).toEqual([])
  expect(dialog.open).toBe(true)
})

it.each(['Cancel', 'Escape'])('gives nothing after %s, and leaves', async (how) => {
  const { given, token, dialog } = show()
  token.value = 'c'
  if (how === 'Escape') await userEvent.keyboard('{Escape}')
  else dialog.querySelector<HTMLButtonElement>('button[type=button]')!.click()
  await expect.poll(() => dialog.isConnected).toBe(false)
  expect(given).toEqual([])
})
