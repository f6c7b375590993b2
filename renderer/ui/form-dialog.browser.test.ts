import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { Failure } from '../data/failure.ts'
import { fadeSlowly } from '../testing/fade-slowly.ts'
import { mounted } from '../testing/mounted.ts'
import FormDialog from './form-dialog.vue'
import TextField from './text-field.ts'

const failure: Failure = { kind: 'offline', code: null, skewSeconds: null, detail: '' }

interface Props {
  readonly busy?: boolean
  readonly blocked?: boolean
  readonly failure?: Failure
  readonly failureLead?: string
  readonly leadHidden?: boolean
  readonly dismissible?: boolean
}
async function show(props: Props = {}) {
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
          foot: () => h('button', { type: 'button' }, 'Forget'),
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

  it('has its lead beside its name, or for a screen reader alone', async () => {
    await show()
    await expect.element(page.getByRole('dialog')).toHaveAccessibleDescription('What it is called')
    expect(page.getByText('What it is called').element().className).not.toContain('sr-only')
  })

  it('has a hidden lead for a screen reader', async () => {
    await show({ leadHidden: true })
    await expect.element(page.getByRole('dialog')).toHaveAccessibleDescription('What it is called')
    expect(page.getByText('What it is called').element().className).toContain('sr-only')
  })

  it('waits with its button while it is busy, and can be left where that is said', async () => {
    const { open, sent } = await show({ busy: true, dismissible: true })
    await expect.element(button('Save')).toBeDisabled()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => open.value).toBe(false)
    expect(sent.value).toBe(0)
  })

  it('has no note of a failure where nothing hinders it, and has other buttons at its foot', async () => {
    await show()
    expect(page.getByRole('alert').query()).toBeNull()
    await expect.element(button('Save')).not.toHaveAttribute('aria-disabled')
    await expect.element(button('Forget')).toBeVisible()
  })

  it('says first what was not done, then why', async () => {
    await show({ failure, failureLead: 'It was not saved.' })
    await expect.element(page.getByRole('alert')).toMatchTextContent(/^It was not saved\. ./)
  })
})

it('keeps its title while it fades, though what it is about is gone', async () => {
  const about = ref<string | null>('Mum')
  await mounted({
    render: () =>
      h(FormDialog, {
        open: about.value !== null,
        title: about.value === null ? '' : `Name ${about.value}`,
        lead: about.value ?? '',
        action: 'Save',
        busy: false,
        failure: null,
      }),
  })
  const dialog = page.getByRole('dialog')
  await expect.element(dialog).toHaveAccessibleName('Name Mum')
  fadeSlowly()
  about.value = null
  await expect.element(dialog).toHaveAttribute('data-state', 'closed')
  await expect.element(dialog).toHaveAccessibleName('Name Mum')
  await expect.element(dialog).toHaveAccessibleDescription('Mum')
})
