import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { frameWords } from '../frame/words.ts'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import { messagingWords } from './words.ts'
import TextDialog from './text-dialog.vue'

const en = spoken(frameWords, 'en')
const { messaging: words } = spoken(messagingWords, 'en')

const show = async (props: { readonly busy?: boolean; readonly needed?: boolean; readonly help?: string } = {}) => {
  const open = ref(false)
  const told: string[] = []
  await mounted({
    render: () =>
      h(TextDialog, {
        title: 'Name it',
        label: 'Name',
        value: 'Mei',
        most: 8,
        busy: false,
        failure: null,
        ...props,
        open: open.value,
        onSave: (text: string) => told.push(text),
        onClose: () => told.push('closed'),
      }),
  })
  open.value = true
  await expect.element(page.getByRole('dialog', { name: 'Name it' })).toBeVisible()
  return { open, told }
}
const field = () => page.getByRole('textbox', { name: 'Name' })
const save = () => page.getByRole('button', { name: words.card.save })

describe('a dialog with one text', () => {
  it('begins with what is known, each time that it opens', async () => {
    const { open } = await show()
    await expect.element(field()).toHaveValue('Mei')
    await field().fill('Other')
    open.value = false
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    open.value = true
    await expect.element(field()).toHaveValue('Mei')
    await expect.element(field()).toHaveAttribute('maxlength', '8')
  })

  it('gives the text without the space around it, also an empty one', async () => {
    const { told } = await show({ help: 'Any name' })
    await expect.element(page.getByText('Any name')).toBeVisible()
    await field().fill(' Lee ')
    await save().click()
    await field().fill('  ')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual(['Lee', ''])
  })

  it('gives no empty text where one is needed', async () => {
    const { told } = await show({ needed: true })
    await expect.element(save()).not.toHaveAttribute('aria-disabled')
    await field().fill('  ')
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('gives nothing while it is busy', async () => {
    const { told } = await show({ busy: true })
    field().element().closest('form')?.requestSubmit()
    expect(told).toEqual([])
  })

  it('tells that it was left', async () => {
    const { told } = await show()
    await page.getByRole('button', { name: en.word.cancel }).click()
    expect(told).toEqual(['closed'])
  })
})
