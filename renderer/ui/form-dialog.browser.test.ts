import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { Failure } from '../data/failure.ts'
import { mounted } from '../testing/mounted.ts'
import FormDialog from './form-dialog.vue'
import TextField from './text-field.ts'

const failure: Failure = { kind: 'offline', code: null, skewSeconds: null, detail: '' }

async function show(props: { readonly busy?: boolean; readonly blocked?: boolean; readonly failure?: Failure } = {}) {
  const open = ref(true)
  const sent = ref(0)
  const text = ref('')
  const part: Component = {
    render: () =>
      h(
        FormDialog,
        {
          open: open.value,
          title: 'Name it',
          lead: 'What it is called',
          action: 'Save',
          busy: false,
          failure: null,
          ...props,
          'onUpdate:open': (now: boolean) => (open.value = now),
          onSubmit: () => (sent.value += 1),
        },
        {
          default: () =>
            h(TextField, {
              label: 'Name',
              modelValue: text.value,
              'onUpdate:modelValue': (now: string) => (text.value = now),
            }),
        },
      ),
  }
  await mounted(part)
  await expect.element(page.getByRole('dialog', { name: 'Name it' })).toBeVisible()
  return { open, sent }
}
const button = (name: string) => page.getByRole('button', { name })

describe('a dialog with a form', () => {
  it('is sent by its button and by Enter', async () => {
    const { sent } = await show()
    await button('Save').click()
    await page.getByLabelText('Name').click()
    await userEvent.keyboard('{Enter}')
    expect(sent.value).toBe(2)
  })

  it('is closed by its button and by Escape', async () => {
    const { open } = await show()
    await button('Cancel').click()
    expect(open.value).toBe(false)
    open.value = true
    await expect.element(button('Save')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => open.value).toBe(false)
  })

  it('stays while it is busy', async () => {
    const { open } = await show({ busy: true })
    await userEvent.keyboard('{Escape}')
    expect(open.value).toBe(true)
  })

  it('says why it was not done, and that it cannot be sent', async () => {
    await show({ blocked: true, failure })
    await expect.element(page.getByRole('alert')).toBeVisible()
    await expect.element(button('Save')).toHaveAttribute('aria-disabled', 'true')
  })
})
