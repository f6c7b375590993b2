import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { frameWords } from '../features/frame/words.ts'
import { spoken } from '../format/languages.ts'
import { fadeSlowly } from '../testing/fade-slowly.ts'
import { mounted } from '../testing/mounted.ts'
import ConfirmDialog from './confirm-dialog.vue'

const en = spoken(frameWords, 'en')

const ask = async (props: Record<string, unknown> = {}, field = 'text') => {
  const told: string[] = []
  await mounted({
    render: () =>
      h(
        ConfirmDialog,
        {
          open: true,
          title: 'Delete it?',
          body: 'It is gone then.',
          action: 'Delete',
          ...props,
          'onUpdate:open': (now: boolean) => told.push(now ? 'opened' : 'left'),
          onConfirm: () => told.push('confirm'),
        },
        { default: () => h('input', { type: field, 'aria-label': 'field' }) },
      ),
  })
  await expect.element(page.getByRole('dialog', { name: 'Delete it?' })).toBeVisible()
  return told
}

it('a question is described by what it says, without warning and failure where there are none', async () => {
  await ask()
  const dialog = page.getByRole('dialog')
  await expect.element(dialog).toHaveAccessibleDescription('It is gone then.')
  expect(dialog.getByRole('alert').query()).toBeNull()
  expect(dialog.element().querySelector('.text-armt')).toBeNull()
})

it.each(['search', 'url'])('a question is answered by Enter in a field of the type %s', async (type) => {
  const told = await ask({}, type)
  ;(page.getByLabelText('field').element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  expect(told).toEqual(['confirm'])
})

it('a question is answered by no other key in its field', async () => {
  const told = await ask()
  ;(page.getByLabelText('field').element() as HTMLElement).focus()
  await userEvent.keyboard('a{ArrowDown}')
  expect(told).toEqual([])
})

it.each([
  [{}, true],
  [{ tone: 'primary' }, false],
])('a question warns by the colour of its button unless it is told otherwise: %o', async (props, warns) => {
  await ask(props)
  const action = page.getByRole('button', { name: 'Delete' }).element()
  expect(action.className.includes('bg-error')).toBe(warns)
})

it('a question can be left while nothing runs, and its button waits while something does', async () => {
  await ask({ busy: true })
  await expect.element(page.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await expect.element(page.getByRole('button', { name: en.word.cancel })).toBeDisabled()
})

it('a question keeps its words while it fades, though what it is about is gone', async () => {
  const about = ref<{ name: string } | null>({ name: 'Mum' })
  await mounted({
    render: () =>
      h(
        ConfirmDialog,
        {
          open: about.value !== null,
          title: `Revoke ${about.value?.name ?? ''}?`,
          body: `Of ${about.value?.name ?? ''}`,
          action: 'Revoke',
          'onUpdate:open': () => (about.value = null),
        },
        { default: () => (about.value ? h('p', `List of ${about.value.name}`) : []) },
      ),
  })
  const dialog = page.getByRole('dialog')
  await expect.element(dialog).toMatchTextContent(/Revoke Mum\?.*Of Mum.*List of Mum/)
  fadeSlowly()
  about.value = null
  await expect.element(dialog).toHaveAttribute('data-state', 'closed')
  await expect.element(dialog).toMatchTextContent(/Revoke Mum\?.*Of Mum.*List of Mum/)
  about.value = { name: 'Ann' }
  await expect.element(dialog).toMatchTextContent(/Revoke Ann\?.*Of Ann.*List of Ann/)
  about.value = { name: 'Eve' }
  await expect.element(dialog).toMatchTextContent(/Revoke Eve\?.*Of Eve.*List of Eve/)
})
