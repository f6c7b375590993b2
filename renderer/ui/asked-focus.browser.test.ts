import { beforeEach, describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import App from '../app.vue'
import { useCompanion } from '../data/companion.ts'
import { frameWords } from '../features/frame/words.ts'
import { spoken } from '../format/languages.ts'
import { mounted, withParts } from '../testing/mounted.ts'
import TextField from './text-field.ts'

const en = spoken(frameWords, 'en')
/** A field that comes with a late answer, as that of the first channel. */
const isAnswered = ref(false)
/** A form that stands where its button was pressed. */
const isOpen = ref(false)
const Late = {
  setup: () => () => [
    h('button', { type: 'button', onClick: () => (isOpen.value = true) }, 'Rename'),
    h('input', { 'aria-label': 'Search' }),
    isAnswered.value ? h(TextField, { modelValue: '', label: 'Name', name: 'name', autofocus: true }) : null,
    isOpen.value ? h(TextField, { modelValue: '', label: 'New name', name: 'new', autofocus: true }) : null,
  ],
}
const show = () =>
  mounted(withParts(App, Late), {
    isRoot: true,
    path: '/channels',
    before: (pinia) => {
      const companion = useCompanion(pinia)
      companion.authMethod = 'link'
      companion.lineIs('open')
    },
  })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
/** Lets the field come, and waits until it would have taken the focus. */
const answer = async (): Promise<void> => {
  isAnswered.value = true
  await expect.element(field('Name')).toBeInTheDocument()
  await new Promise((resolve) => setTimeout(resolve))
  await new Promise((resolve) => setTimeout(resolve))
}

beforeEach(() => {
  isAnswered.value = isOpen.value = false
})

describe('a field that begins a screen', () => {
  it('takes the focus when it comes, however late', async () => {
    await show()
    await answer()
    await expect.element(field('Name')).toHaveFocus()
  })

  it('leaves it with who went past the rail to the screen meanwhile', async () => {
    await show()
    page.getByRole('button', { name: en.nav.skip }).element().focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('main')).toHaveFocus()
    await answer()
    await expect.element(page.getByRole('main')).toHaveFocus()
  })

  it('leaves it with who writes elsewhere, or went on by Tab', async () => {
    await show()
    await userEvent.click(field('Search'))
    await answer()
    await expect.element(field('Search')).toHaveFocus()
    isAnswered.value = false
    await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
    await answer()
    await expect.element(page.getByRole('button', { name: 'Rename' })).toHaveFocus()
  })

  it('takes it again on the next screen, though not from who went on while that was loaded', async () => {
    const { router } = await show()
    await userEvent.click(field('Search'))
    await router.push('/recordings')
    await answer()
    await expect.element(field('Name')).toHaveFocus()
    isAnswered.value = false
    await router.push('/channels')
    await userEvent.click(field('Search'))
    await answer()
    await expect.element(field('Search')).toHaveFocus()
  })

  it('takes it where it appears by a button at once', async () => {
    await show()
    await userEvent.click(page.getByRole('button', { name: 'Rename' }))
    await expect.element(field('New name')).toHaveFocus()
  })
})
