import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import type { Channel } from '../../../contract/rpc/state.ts'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, type MountOptions } from '../../testing/mounted.ts'
import { useChannels } from '../channels/channels.ts'
import { useLive } from '../channels/live.ts'
import MarkButton from './mark-button.vue'
import { studioWords } from './words.ts'

const { studio: words } = spoken(studioWords, 'en')
const recorded = channel(1, { status: 3, needRecord: true })
const other = channel(2, { status: 3, needRecord: true })
const list = [recorded, other]
const show = async (first: Channel = recorded, options: MountOptions = {}) => {
  const shown = ref(first)
  const on = await mounted(
    { render: () => h(MarkButton, { channel: shown.value }) },
    {
      channels: list,
      ...options,
      answers: {
        'recordings.mark': ({ cid, label }) => ({ markerId: 1, cid, at: began, label }),
        ...options.answers,
      },
    },
  )
  return { ...on, shown }
}
const button = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
const marked = words.marked.replace('{time}', '16:00:00')
const press = (init: KeyboardEventInit): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  document.body.dispatchEvent(event)
  return event
}

describe('the mark of the Studio', () => {
  it('is said for 4 s, by the button and to a screen reader', async () => {
    const { pass } = await show()
    const said = () => page.getByRole('status').first().element().textContent
    expect(said()).toBe('')
    await button(words.mark).click()
    await expect.element(button(marked)).toBeVisible()
    expect(said()).toBe(marked)
    await pass(3_999)
    await expect.element(button(marked)).toBeVisible()
    await pass(1)
    await expect.element(button(words.mark)).toBeVisible()
    expect(said()).toBe('')
  })

  it('is not said of another channel', async () => {
    const { shown } = await show()
    await button(words.mark).click()
    await expect.element(button(marked)).toBeVisible()
    shown.value = other
    await expect.element(button(words.mark)).toBeVisible()
  })

  it('is set by its key, which is used up then', async () => {
    const { client, pinia } = await show()
    expect(press({ key: 'b' }).defaultPrevented).toBe(true)
    await expect.poll(() => client.inputs('recordings.mark')).toHaveLength(1)
    await expect.poll(() => useLive(pinia).logOf('local', recorded.cid)[0]?.kind).toBe('marked')
  })

  it.each([
    ['another key', { key: 'n' }],
    ['the key with Control', { key: 'b', ctrlKey: true }],
    ['the key held down', { key: 'b', repeat: true }],
  ] as const)('is not set by %s', async (_case, init) => {
    const { client } = await show()
    expect(press(init).defaultPrevented).toBe(false)
    expect(client.inputs('recordings.mark')).toEqual([])
  })

  it('is not set by its key in a field or below a dialog', async () => {
    const { client } = await show()
    const field = document.createElement('textarea')
    document.body.append(field)
    field.focus()
    await userEvent.keyboard('b')
    expect(field.value).toBe('b')
    field.remove()
    const dialog = document.createElement('div')
    dialog.setAttribute('role', 'dialog')
    document.body.append(dialog)
    press({ key: 'b' })
    dialog.remove()
    expect(client.inputs('recordings.mark')).toEqual([])
  })

  it('is not set by its key once the Studio is left', async () => {
    const shownAt = ref(true)
    const { client } = await mounted(
      { render: () => (shownAt.value ? h(MarkButton, { channel: recorded }) : null) },
      { channels: list },
    )
    shownAt.value = false
    await expect.element(button(words.mark)).not.toBeInTheDocument()
    press({ key: 'b' })
    expect(client.inputs('recordings.mark')).toEqual([])
  })

  it.each([
    ['a channel that is not recorded', channel(1, { status: 1 }), {}],
    ['a channel of a hosted service', recorded, { profile: 'hosted-1' }],
  ] as const)('is not offered, nor set by its key, for %s', async (_case, one, options) => {
    const { client } = await show(one, { ...options, channels: [one] })
    expect(button(words.mark).query()).toBeNull()
    expect(press({ key: 'b' }).defaultPrevented).toBe(false)
    expect(client.inputs('recordings.mark')).toEqual([])
  })

  it('takes the failure of an earlier one away', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    const { client, pinia } = await show(recorded, { answers: { 'recordings.mark': fail } })
    const failure = () => useChannels(pinia).failures.get(recorded.cid)?.kind
    await button(words.mark).click()
    await expect.poll(failure).toBe('late')
    expect(button(marked).query()).toBeNull()
    client.answer({ 'recordings.mark': ({ cid, label }) => ({ markerId: 1, cid, at: began, label }) })
    await button(words.mark).click()
    await expect.poll(failure).toBeUndefined()
  })
})
