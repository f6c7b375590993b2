import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, type Component } from 'vue'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import type { RoomPanel } from '../../../contract/rpc/index.ts'
import { began, service, starting } from '../../testing/mounted.ts'
import { mountedRoom, roomMember } from '../../testing/mounted-room.ts'
import { saidLine, seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { roomMediaWords } from './words-media.ts'
import { roomWords } from './words.ts'
import RoomRow from './room-row.vue'
import { useRoomPanel } from './room-panel.ts'
import type { RoomLine, RoomNotice } from './room-log.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')
const roomMediaEn = spoken(roomMediaWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const line = (change: Partial<RoomLine> = {}): RoomLine => ({
  msgid: '11',
  at: began,
  from: 'ana',
  nick: 'Ana B',
  text: 'hello <b>you</b>',
  notice: null,
  removed: null,
  ...change,
})
const notice = (id: number, change: Partial<RoomNotice> = {}): Partial<RoomLine> => ({
  notice: {
    id,
    operator: 'Mei',
    target: ['ana'],
    names: ['Ana B'],
    why: '',
    seconds: null,
    expired: false,
    stillMuted: false,
    ...change,
  },
})
const open = async (
  said: Partial<RoomLine> = {},
  {
    folded = 1,
    focused = false,
    preset = 600,
    ...options
  }: Parameters<typeof mountedRoom>[1] & {
    readonly folded?: number
    readonly focused?: boolean
    readonly preset?: number
    readonly panel?: Partial<RoomPanel>
  } = {},
) => {
  const told: string[] = []
  const Row: Component = {
    render: () =>
      h(RoomRow, {
        row: { key: '11', line: line(said), folded },
        focused,
        preset,
        onChoose: () => told.push('choose'),
        onRemove: () => told.push('remove'),
        onMute: () => told.push('mute'),
        onCard: () => told.push('card'),
      }),
  }
  const shown = await mountedRoom(Row, options)
  await useRoom(shown.pinia).readPeople()
  await shown.pass(1)
  return { ...shown, told }
}
const row = () => page.getByText(/./).first().element().closest('body')!.querySelector<HTMLElement>('[data-room-row]')!
const shownText = (): string => row().querySelector('.text')?.textContent.replaceAll(/\s+/g, ' ').trim() ?? ''
const button = (name: string) => page.getByRole('button', { name: starting(name) })

describe('a line of a room', () => {
  it('has its time, who said it, and the text as it was written', async () => {
    await open()
    expect(row().querySelector('time')?.textContent).toBe('16:00:00')
    expect(shownText()).toBe('Ana B hello <b>you</b>')
  })

  it('of a robot has its badge', async () => {
    await open(
      {},
      {
        answers: {
          'operations.chatrooms.membersByPage': ({ call }) => ({
            desc: { data: call.type === 0 ? [{ ...roomMember('ana'), isRobot: true }] : [] },
          }),
        },
      },
    )
    expect(shownText()).toBe(`${words.badge.bot} Ana B hello <b>you</b>`)
  })

  it('that was held back tells when it was said, with the date of another day', async () => {
    await open({ heldAt: began - 60_000 })
    expect(shownText()).toContain(words.heldAt.replace('{time}', '15:59:00'))
  })

  it('that was held back since yesterday tells the date', async () => {
    await open({ heldAt: began - 86_400_000 })
    expect(shownText()).toContain(words.heldAt.replace('{time}', '2026-11-25 16:00:00'))
  })

  it('that was deleted tells by whom and why, and cannot be deleted again', async () => {
    await open({ removed: { by: 'mei', why: 'spam', at: began } })
    expect(shownText()).toContain(words.removed.replace('{by}', 'mei').replace('{why}', 'spam'))
    expect(row().classList.contains('gone')).toBe(true)
    expect(row().querySelector(`[aria-label="${words.remove}"]`)).toBeNull()
  })

  it('that was deleted by somebody unknown says only that', async () => {
    await open({ removed: { by: '', why: '', at: null } })
    expect(shownText().endsWith(words.removedPlain)).toBe(true)
  })

  it('is marked by a press on it', async () => {
    const { told } = await open()
    row().click()
    expect(told).toEqual(['choose'])
  })
})

describe('the buttons of a line', () => {
  it('show the length of the mute that they ask for', async () => {
    await open({}, { focused: true, preset: 3_600 })
    await expect.element(button(words.mute)).toMatchTextContent('1 h')
  })

  it('have their keys on the marked line only', async () => {
    await open({}, { focused: true })
    expect([...row().querySelectorAll('kbd')].map((each) => each.textContent)).toEqual(['D', 'M', 'T', 'U'])
  })

  it('have no keys on other lines', async () => {
    await open()
    expect(row().querySelector('kbd')).toBeNull()
  })

  it('lead to the second of the recording', async () => {
    const { pinia, told } = await open({}, { focused: true })
    await button(roomMediaEn.roomMedia.open).click()
    expect(useRoomPanel(pinia).second?.msgid).toBe('11')
    expect(told).toEqual([])
  })

  it('have no second of a recording for a moderator at another computer', async () => {
    await open({}, { focused: true, about: { seat } })
    await expect.element(button(words.card)).toBeVisible()
    expect(button(roomMediaEn.roomMedia.open).query()).toBeNull()
  })

  it('delete no line of a hosted service', async () => {
    await open({}, { focused: true, profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(button(words.card)).toBeVisible()
    expect(button(words.remove).query()).toBeNull()
  })

  it('delete a line of the account that acts, and do not mute it', async () => {
    const { told } = await open({ from: 'host' }, { focused: true })
    await expect.element(button(words.mute)).toHaveAttribute('title', words.guard.self)
    await expect.element(button(words.remove)).toHaveAttribute('aria-disabled', 'false')
    await button(words.remove).click()
    expect(told).toEqual(['remove'])
  })

  it.each([
    ['the host', null, words.guard.admin],
    ['a moderator at another computer', seat, seatsEn.seatPage.guardAdmin],
  ] as const)('say to %s why nothing is done to a moderator', async (_case, about, says) => {
    await open(
      { from: 'lee' },
      {
        focused: true,
        about: { seat: about },
        panel: { accid: about === null ? 'host' : 'mei' },
        answers: {
          'operations.chatrooms.membersByPage': ({ call }) => ({
            desc: { data: call.type === 0 ? [roomMember('lee', 2)] : [] },
          }),
        },
      },
    )
    await expect.element(button(words.mute)).toHaveAttribute('title', says)
    await expect.element(button(words.remove)).toHaveAttribute('aria-disabled', 'true')
  })

  it('say that measures are possible when the service is back; the card opens meanwhile', async () => {
    const { tell, told } = await open({}, { focused: true })
    await tell(service('restarting'))
    for (const name of [words.remove, words.mute]) {
      await expect.element(button(name)).toHaveAttribute('title', en.blocker.down)
      await button(name).click({ force: true })
    }
    expect(told).toEqual([])
    await button(words.card).click()
    expect(told).toEqual(['card'])
  })
})

describe('a notice of a room', () => {
  const { notice: notices } = words

  it.each([
    ['an entry', roomNotices.entered, {}, '{target} entered'],
    ['a timed mute', roomNotices.mutedForAWhile, { seconds: 600 }, 'Ana B muted for 10 min by Mei'],
    ['the reason', roomNotices.blacklisted, { why: 'spam' }, 'Ana B blacklisted by Mei · spam'],
    [
      'several people',
      roomNotices.muted,
      { target: ['ana', 'lee'], names: ['Ana B', 'Lee'] },
      'Ana B, Lee muted by Mei',
    ],
    ['a mute that ended', roomNotices.muteForAWhileLifted, { expired: true }, 'Timed mute of Ana B is over'],
    ['a mute that was lifted', roomNotices.muteForAWhileLifted, {}, 'Timed mute of Ana B lifted by Mei'],
    [
      'another mute',
      roomNotices.unmuted,
      { stillMuted: true },
      `Ana B may speak again, by Mei · ${notices.stillMuted}`,
    ],
    ['something unknown', 399, {}, notices.other],
  ] as const)('says what happened: %s', async (_case, id, change, says) => {
    await open(notice(id, change as Partial<RoomNotice>))
    expect(shownText()).toBe(says.replace('{target}', 'Ana B'))
    expect(row().querySelector('button')).toBeNull()
  })

  it('names somebody by what they were called before where it has only the account', async () => {
    const { tell } = await open(notice(roomNotices.left, { names: ['ana'] }))
    await tell(saidLine('9', 'ana', 'before'))
    expect(shownText()).toBe('ana left')
  })

  it('that stands for several is told as their number', async () => {
    await open(notice(roomNotices.entered), { folded: 5 })
    expect(shownText()).toBe(words.folded.replace('{n}', '5'))
  })
})
