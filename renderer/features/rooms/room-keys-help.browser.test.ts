import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from './words-lists.ts'
import RoomKeysHelp from './room-keys-help.vue'
import { useRoomPanel } from './room-panel.ts'

const moderatorEn = spoken(moderatorWords, 'en')
const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')

const { keys: words, command } = moderatorEn.moderator
const { held } = roomListsEn.roomLists
const open = async (options: Parameters<typeof mountedRoom>[1] = {}) => {
  const shown = await mountedRoom(RoomKeysHelp, options)
  useRoomPanel(shown.pinia).helping = true
  await expect.element(page.getByRole('dialog')).toBeVisible()
  await shown.pass(1)
  return shown
}
const dialog = () => page.getByRole('dialog')
/** The keys that stand beside a name. */
const keysOf = (name: string): string[] | undefined => {
  const term = [...dialog().element().querySelectorAll('dt')].find((each) => each.textContent.trim() === name)
  return term && [...(term.nextElementSibling?.querySelectorAll('kbd') ?? [])].map(({ textContent }) => textContent)
}

describe('the list of the keys of a room', () => {
  it('has every command with its keys, mutes by their length', async () => {
    await open()
    expect(keysOf(command.up)).toEqual(['↑', 'K'])
    expect(keysOf(command.panic)).toEqual(['F9'])
    expect(keysOf(command.lift)).toEqual(['Shift F9'])
    expect(keysOf(command.preset.replace('{time}', '10 min'))).toEqual(['2'])
    expect(keysOf(command.second)).toEqual(['T'])
    for (const group of Object.values(words.groups)) await expect.element(dialog()).toMatchTextContent(group)
  })

  it('has the keys that were chosen', async () => {
    await open({ settings: { roomKeys: { mute: ['z'] }, mutePresets: [30] } })
    expect(keysOf(command.mute)).toEqual(['Z'])
    expect(keysOf(command.preset.replace('{time}', '30 s'))).toEqual(['1'])
    expect(keysOf(command.presetNone.replace('{n}', '2'))).toEqual(['2'])
  })

  it('names the keys of a Mac', async () => {
    await open({ about: { platform: 'darwin' } })
    expect(keysOf(command.popOut)).toEqual(['⌘ Shift P'])
  })

  it('has the fixed keys of held lines on the embedded service only', async () => {
    await open()
    expect([keysOf(held.allow), keysOf(held.drop)]).toEqual([['A'], ['D']])
  })

  it('has no keys of held lines of a hosted service', async () => {
    await open({ profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    expect(keysOf(command.mute)).toEqual(['M'])
    expect(keysOf(held.allow)).toBeUndefined()
  })

  it('has the keys of the page, and leads to where keys are changed', async () => {
    const { pinia, router } = await open()
    await expect.element(dialog()).toMatchTextContent(en.keys.title)
    await dialog().getByRole('button', { name: words.open }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/keys')
    expect(useRoomPanel(pinia).helping).toBe(false)
  })

  it('has what a moderator at another computer can do only', async () => {
    await open({ about: { seat } })
    expect(keysOf(command.mute)).toEqual(['M'])
    expect(keysOf(command.second)).toBeUndefined()
    expect(dialog().getByRole('button', { name: words.open }).query()).toBeNull()
    expect(dialog().element().textContent).not.toContain(en.keys.title)
  })
})
