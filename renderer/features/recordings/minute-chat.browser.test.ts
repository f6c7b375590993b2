import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { roomMediaWords } from '../rooms/words-media.ts'
import MinuteChat from './minute-chat.vue'

const roomMediaEn = spoken(roomMediaWords, 'en')

const { roomMedia: words } = roomMediaEn
const cid = '1'.repeat(32)
const file = { cid, begin: began, end: began + 175_000 }
const said = (second: number, text: string, change: { readonly removed?: boolean; readonly type?: number } = {}) => ({
  msgid: `${100 + second}`,
  at: began + second * 1000,
  from: 'kestrel',
  type: 0,
  attach: text,
  removed: false,
  nick: 'Kestrel',
  clientId: `c${second}`,
  ...change,
})
const lines = [said(5, 'good evening'), said(20, 'a link', { removed: true }), said(40, 'bye'), said(70, 'next minute')]

async function show(seconds: number, options: MountOptions = {}) {
  const at = ref(seconds)
  const sought: number[] = []
  const part: Component = {
    render: () =>
      h(MinuteChat, { profileId: 'local', file, seconds: at.value, onSeek: (to: number) => sought.push(to) }),
  }
  const on = await mounted(part, {
    ...options,
    answers: {
      'rooms.linked': () => ({ roomid: 7 }),
      'rooms.history': ({ call: { beginTime = 0, endTime = Infinity } }) => ({
        ret: { list: lines.filter((line) => line.at >= beginTime && line.at <= endTime).toReversed(), more: false },
      }),
      ...options.answers,
    },
  })
  return { ...on, at, sought }
}
const button = (name: string | RegExp) => page.getByRole('button', { name })

describe('the chat of the minute that plays', () => {
  it('shows what was said in that minute alone, and asks for no other', async () => {
    const { client } = await show(10)
    await expect.element(page.getByText('good evening')).toBeVisible()
    expect(page.getByText('next minute').query()).toBeNull()
    expect(client.inputs('rooms.history').map(({ call }) => [call.beginTime, call.endTime])).toEqual([
      [began, began + 59_999],
    ])
  })

  it('leads to the second of a line', async () => {
    const { sought } = await show(0)
    await button(/good evening/).click()
    expect(sought).toEqual([5])
  })

  it('marks the line that is playing, as the file goes on', async () => {
    const { at } = await show(30)
    const order = (): string[] =>
      page
        .getByRole('listitem')
        .elements()
        .map((each) => each.textContent)
    await expect.poll(() => order().findIndex((text) => text.startsWith('Playing'))).toBe(2)
    at.value = 50
    await expect.poll(() => order().findIndex((text) => text.startsWith('Playing'))).toBe(3)
  })

  it('says that a line was deleted', async () => {
    await show(30)
    await expect.element(button(/a link/)).toMatchTextContent(words.removed)
  })

  it('goes to the minute before and after, not beyond the file', async () => {
    const { sought, at } = await show(70)
    await button(words.previous).click()
    await button(words.next).click()
    expect(sought).toEqual([0, 120])
    at.value = 1
    await expect.element(button(words.previous)).toBeDisabled()
    at.value = 170
    await expect.element(button(words.next)).toBeDisabled()
  })

  it('says that the channel has no room, and that nobody spoke', async () => {
    await show(0, { answers: { 'rooms.linked': () => ({ roomid: null }) } })
    await expect.element(page.getByText(words.noRoom)).toBeVisible()
  })

  it('says that nobody spoke in the minute', async () => {
    await show(130)
    await expect.element(page.getByText(words.quiet)).toBeVisible()
  })

  it('says why it could not be read, and tries again on request', async () => {
    const { client } = await show(0, {
      answers: {
        'rooms.linked': () => {
          throw failed()
        },
      },
    })
    await expect.element(page.getByRole('alert')).toBeVisible()
    client.answer({ 'rooms.linked': () => ({ roomid: 7 }) })
    await button('Try again').click()
    await expect.element(page.getByText('good evening')).toBeVisible()
  })
})
