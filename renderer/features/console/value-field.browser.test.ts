import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { flag, integer, list, text, type Field } from '../../../contract/field.ts'
import type { ValueFault } from '../../../contract/validate.ts'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import type { FormValue } from './api-console.ts'
import ValueField from './value-field.vue'
import { consoleWords } from './words.ts'

const { console: words } = spoken(consoleWords, 'en')
const show = async (
  field: Field,
  {
    first,
    fault,
    file = false,
  }: { readonly first?: FormValue; readonly fault?: ValueFault; readonly file?: boolean } = {},
) => {
  const value = ref<FormValue>(first)
  const part = {
    render: () =>
      h(ValueField, {
        name: 'it',
        field,
        fault,
        file,
        modelValue: value.value,
        'onUpdate:modelValue': (next: FormValue) => (value.value = next),
      }),
  }
  await mounted(part)
  return value
}
const field = () => page.getByLabelText('it', { exact: true })
const row = (n: number) => page.getByLabelText(words.row.replace('{name}', 'it').replace('{n}', String(n)))
const add = () => page.getByRole('button', { name: words.add })

describe('the field of a value', () => {
  it('sends a text as it is typed, and nothing where it is empty', async () => {
    const value = await show(text({ max: 9 }))
    await field().fill(' a b ')
    expect(value.value).toBe(' a b ')
    await field().fill('')
    expect(value.value).toBeUndefined()
  })

  it('sends a flag as true or false, or not at all', async () => {
    const value = await show(flag(), { first: false })
    await expect.element(field()).toHaveValue('false')
    await field().selectOptions('true')
    expect(value.value).toBe(true)
    await field().selectOptions(words.notSent)
    expect(value.value).toBeUndefined()
  })

  it('has the numbers that there are to choose from', async () => {
    const value = await show(integer({ oneOf: [0, 2] }))
    const options = [...(field().element() as HTMLSelectElement).options].map((option) => option.text)
    expect(options).toEqual([words.notSent, '0', '2'])
    await field().selectOptions('2')
    expect(value.value).toBe('2')
  })

  it.each([
    ['an integer', integer(), 'INPUT', 'text', 'numeric', 'off'],
    ['a short text', text({ max: 200 }), 'INPUT', 'text', 'text', 'off'],
    ['a secret', text({ secret: true }), 'INPUT', 'password', 'text', 'new-password'],
    ['a long text', text({ max: 201 }), 'TEXTAREA', 'textarea', null, null],
    ['a text of JSON', text({ json: 'object' }), 'TEXTAREA', 'textarea', null, null],
  ] as const)('fits what is entered: %s', async (_case, given, tag, type, mode, complete) => {
    await show(given)
    const found = field().element() as HTMLInputElement
    expect([found.tagName, found.type, found.getAttribute('inputmode'), found.getAttribute('autocomplete')]).toEqual([
      tag,
      type,
      mode,
      complete,
    ])
  })

  it('says what it takes, and in English what it is for', async () => {
    await show(integer({ required: true, min: 1, max: 9, summary: 'How many.' }))
    await expect.element(page.getByText(`integer, ${words.word.required}, 1–9`)).toBeVisible()
    await expect.element(page.getByText('How many.')).toHaveAttribute('lang', 'en')
  })

  it.each([
    [{ kind: 'most', limit: '9' }, words.fault.most.replace('{limit}', '9')],
    [{ kind: 'longest', limit: '1' }, 'At most 1 character.'],
    [{ kind: 'longest', limit: '4' }, 'At most 4 characters.'],
  ] as const)('says what is wrong in the place of what it is for: %o', async (fault, says) => {
    await show(text({ summary: 'A name.' }), { fault, first: 'x' })
    await expect.element(page.getByText(says)).toBeVisible()
    await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
    expect(page.getByText('A name.').query()).toBeNull()
  })

  it('is not marked while nothing is wrong', async () => {
    await show(text())
    await expect.element(field()).not.toHaveAttribute('aria-invalid', 'true')
  })

  it('can be sent empty where that clears what is stored, and only while it is empty', async () => {
    const value = await show(text({ clearable: true }))
    const box = page.getByRole('checkbox', { name: words.sendEmpty })
    await box.click()
    expect(value.value).toBe('')
    await expect.element(box).toBeChecked()
    await box.click()
    expect(value.value).toBeUndefined()
    await field().fill('x')
    await expect.element(box).not.toBeInTheDocument()
  })

  it('cannot be sent empty otherwise', async () => {
    await show(text())
    await expect.element(field()).toBeVisible()
    expect(page.getByRole('checkbox').query()).toBeNull()
  })

  it('has a file to choose where it is one', async () => {
    await show(text(), { file: true })
    await expect.element(page.getByRole('button', { name: words.file })).toBeVisible()
    expect(document.querySelector('input[type=file]')?.id).toBe(document.querySelector('label')?.getAttribute('for'))
  })
})

describe('the field of a list', () => {
  it('is named, has no rows at first, and is not sent without one', async () => {
    const value = await show(list(text()))
    await expect.element(page.getByRole('list', { name: 'it' })).toBeVisible()
    expect(page.getByRole('textbox').elements()).toHaveLength(0)
    await add().click()
    expect(value.value).toEqual([''])
    await row(1).fill('a')
    expect(value.value).toEqual(['a'])
    await page.getByRole('button', { name: words.takeOut.replace('{n}', '1') }).click()
    expect(value.value).toBeUndefined()
  })

  it('has a new row with the focus in it', async () => {
    await show(list(text()), { first: ['a', 'b'] })
    await add().click()
    await expect.element(row(3)).toHaveFocus()
  })

  /** Other tests write to the same clipboard meanwhile: then it is written again. */
  const paste = async (at: number, pasted: string, now: () => unknown, then: unknown): Promise<void> => {
    const before = now()
    await expect
      .poll(async () => {
        if (now() !== before) return now()
        await navigator.clipboard.writeText(pasted)
        if ((await navigator.clipboard.readText()) !== pasted) return before
        ;(row(at).element() as HTMLElement).focus()
        await userEvent.paste()
        return now()
      })
      .toEqual(then)
  }
  it.each([
    ['lines', 'x\ny', ['a', 'x', 'y', 'c']],
    ['commas and semicolons', ' x, y;z ', ['a', 'x', 'y', 'z', 'c']],
    ['a list in JSON', '["x", 2, {"y":3}]', ['a', 'x', '2', '{"y":3}', 'c']],
  ])('takes several by one paste, in the place of the row: %s', async (_case, pasted, rows) => {
    const value = await show(list(text()), { first: ['a', 'b', 'c'] })
    await paste(2, pasted, () => value.value, rows)
  })

  it.each(['one', '{"not":"a list"}', '["one"]'])('takes a single value as it is: %s', async (pasted) => {
    const value = await show(list(text()), { first: [''] })
    await paste(1, pasted, () => value.value, [pasted])
  })

  it('has a thousand rows at most by a paste', async () => {
    const value = await show(list(integer()), { first: ['0'] })
    row(1)
      .element()
      .dispatchEvent(
        Object.assign(new Event('paste', { bubbles: true, cancelable: true }), {
          clipboardData: { getData: () => Array.from({ length: 1_200 }, (_, index) => index).join('\n') },
        }),
      )
    await expect.poll(() => (value.value as readonly string[]).length).toBe(1_000)
  })
})
