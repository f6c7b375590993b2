import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Seat, SeatBoard } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomWords } from '../rooms/words.ts'
import { seatsWords } from './words.ts'
import { useRoomLink } from '../rooms/room-link.ts'
import SeatList from './seat-list.vue'

const en = spoken(frameWords, 'en')
const roomEn = spoken(roomWords, 'en')
const seatsEn = spoken(seatsWords, 'en')

const { list: words, revoke } = seatsEn.seats
const seat = (change: Partial<Seat> = {}): Seat => ({
  id: '0000000000000001',
  profileId: 'local',
  roomid: 7,
  cid: null,
  accid: 'mei',
  name: 'Mei',
  state: 'active',
  created: began,
  codeUntil: null,
  sessions: 1,
  pages: 1,
  lastAt: null,
  lastAction: null,
  address: null,
  device: null,
  owed: [],
  owedReason: null,
  ...change,
})
const other = seat({ id: '0000000000000002', accid: 'lee', name: 'Lee' })
const board = (...seats: readonly Seat[]): SeatBoard => ({
  listener: {
    phase: 'off',
    open: false,
    port: 0,
    urls: [],
    reason: null,
    certificate: 'none',
    fingerprint: null,
    certificateUntil: null,
    failures: 0,
  },
  seats: [...seats],
  unwritten: null,
})
const show = (seats: readonly Seat[], options: Parameters<typeof mounted>[1] = {}) =>
  mounted(SeatList, {
    props: { profileId: 'local' },
    path: '/settings/moderators',
    events: [{ type: 'seats', board: board(...seats) }],
    ...options,
  })
const button = (name: RegExp) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')

describe('moderators', () => {
  it('asks before a seat is taken back, and takes that one', async () => {
    const { client } = await show([seat(), other], {
      answers: { 'seats.revoke': () => ({ seat: other, steps: [{ what: 'sessions', ok: true, reason: null }] }) },
    })
    await button(new RegExp(`^${words.revoke}.*Lee`)).click()
    await expect.element(dialog()).toMatchTextContent('Lee')
    expect(client.inputs('seats.revoke')).toEqual([])
    await dialog().getByRole('button', { name: revoke.do }).click()
    await expect.poll(() => client.inputs('seats.revoke')).toEqual([{ id: other.id }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('takes none back when the question is cancelled', async () => {
    const { client } = await show([seat()])
    await button(new RegExp(`^${words.revoke}`)).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('seats.revoke')).toEqual([])
  })

  it('forgets a seat that is taken back', async () => {
    const { client } = await show([seat({ state: 'revoked' })], { answers: { 'seats.forget': () => undefined } })
    await button(new RegExp(`^${words.forget}`)).click()
    await expect.poll(() => client.inputs('seats.forget')).toEqual([{ id: '0000000000000001' }])
  })

  it('says what is left of taking a seat back, and does it again at once', async () => {
    const { client } = await show([seat({ state: 'revoked', owed: ['role'] })], {
      answers: {
        'seats.revoke': () => ({ seat: seat({ state: 'revoked' }), steps: [{ what: 'role', ok: true, reason: null }] }),
      },
    })
    await expect.element(page.getByRole('listitem')).toMatchTextContent(revoke.steps.role)
    await button(new RegExp(`^${revoke.again}`)).click()
    await expect.poll(() => client.inputs('seats.revoke')).toEqual([{ id: '0000000000000001' }])
  })

  it.each(
    (['invited', 'active', 'revoked'] as const).flatMap((state) =>
      (['en', 'zh'] as const).map((language) => [state, language] as const),
    ),
  )('says how a seat stands: %s, in %s', async (state, language) => {
    await show([seat({ state })], { language })
    if (language === 'en') await expect.element(page.getByRole('listitem')).toMatchTextContent(words.states[state])
    else await expect.element(page.getByRole('listitem')).toBeVisible()
  })

  it('shows the seats of the profile only', async () => {
    await show([seat(), { ...other, profileId: 'hosted-1' }])
    await expect.element(page.getByRole('listitem')).toMatchTextContent('Mei')
    expect(page.getByRole('listitem').elements()).toHaveLength(1)
  })
})

describe('the row of a seat', () => {
  const row = () => page.getByRole('listitem')
  const hour = 3_600_000

  it('says until when the code of an invitation is good, and that it is over as that time comes', async () => {
    const { pass, pinia } = await show([seat({ state: 'invited', codeUntil: began + hour })])
    const good = words.codeUntil.replace('{time}', useCompanion(pinia).zone.date(began + hour))
    await expect.element(row()).toMatchTextContent(good)
    await pass(hour - 1)
    await expect.element(row()).toMatchTextContent(good)
    await pass(1)
    await expect.element(row()).toMatchTextContent(words.codeOver)
    await expect.element(row()).not.toMatchTextContent(good)
  })

  it('says that the code is over where there is none any more', async () => {
    await show([seat({ state: 'invited', codeUntil: null })])
    await expect.element(row()).toMatchTextContent(words.codeOver)
  })

  it.each(['active', 'revoked'] as const)('says nothing of a code where nobody is invited: %s', async (state) => {
    await show([seat({ state, codeUntil: began + hour })])
    await expect.element(row()).toMatchTextContent(words.states[state])
    for (const text of [words.codeOver, words.codeUntil.replace('{time}', '')])
      await expect.element(row()).not.toMatchTextContent(text)
  })

  it.each([
    [null, words.never],
    ['say', words.actions.say],
    ['signIn', words.actions.signIn],
    ['signOut', words.actions.signOut],
    ['removeLine', roomEn.room.measure.removeLine],
  ])('says what was done last: %s', async (lastAction, text) => {
    await show([seat({ lastAction })])
    await expect.element(row()).toMatchTextContent(text)
  })

  it('says when and from where something was done last, and with which browser where that is known', async () => {
    const done = { lastAction: 'say', lastAt: began - hour, address: '198.51.100.24' }
    const { pinia, tell } = await show([seat({ ...done, device: 'Firefox, Windows' })])
    await expect.element(row()).toMatchTextContent(useCompanion(pinia).zone.date(began - hour))
    await expect.element(page.getByText('198.51.100.24 · Firefox, Windows', { exact: true })).toBeVisible()
    await tell({ type: 'seats', board: board(seat({ ...done, device: null })) })
    await expect.element(page.getByText('198.51.100.24', { exact: true })).toBeVisible()
  })

  it('says how many pages are open and browsers signed in, of an active seat only', async () => {
    const { tell } = await show([seat({ pages: 1, sessions: 2 })])
    await expect.element(row()).toMatchTextContent('1 page open · 2 browsers signed in')
    await tell({ type: 'seats', board: board(seat({ state: 'revoked', pages: 1, sessions: 2 })) })
    await expect.element(row()).toMatchTextContent(words.states.revoked)
    await expect.element(row()).not.toMatchTextContent('page open')
  })

  it('names the room by its number until its name is known', async () => {
    const listed = { roomid: 7, name: 'Evening', creator: 'host', valid: true, online: 0, cid: null }
    const { pinia } = await show([seat()], {
      answers: { 'rooms.list': () => ({ complete: true, rooms: [listed], next: null }) },
    })
    await expect.element(page.getByText(words.room.replace('{room}', '7'), { exact: true })).toBeVisible()
    await useRoomLink(pinia).readRooms('local')
    await expect.element(page.getByText(words.room.replace('{room}', 'Evening'), { exact: true })).toBeVisible()
  })

  it.each([
    ['invited', [], [words.inviteAgain, words.revoke]],
    ['active', [], [words.inviteAgain, words.revoke]],
    ['revoked', ['role', 'link'], [words.inviteAgain, revoke.again]],
    ['revoked', [], [words.inviteAgain, words.forget]],
  ] as const)('offers what can be done with it: %s, left to do: %s', async (state, owed, names) => {
    await show([seat({ state, owed: [...owed] })])
    for (const name of names)
      await expect.element(page.getByRole('button', { name: `${name} Mei`, exact: true })).toBeVisible()
    expect(page.getByRole('button').elements()).toHaveLength(names.length)
  })

  it('says each step that is left of taking it back', async () => {
    await show([seat({ state: 'revoked', owed: ['role', 'link'] })])
    const steps = `${revoke.steps.role}${revoke.between}${revoke.steps.link}`
    await expect.element(row()).toMatchTextContent(revoke.left.replace('{steps}', steps))
  })

  it.each([
    [words.inviteAgain, 'seats.inviteAgain', seat({ state: 'invited' })],
    [words.forget, 'seats.forget', seat({ state: 'revoked' })],
  ] as const)('says in its own row why it failed: %s', async (name, path, of) => {
    const { client } = await show([{ ...other, state: of.state }, of], {
      answers: {
        [path]: () => {
          throw failed({ kind: 'unreachable' })
        },
      },
    })
    await button(new RegExp(`^${name} Mei`)).click()
    await expect.element(row().nth(1).getByRole('alert')).toMatchTextContent(en.failure.unreachable.sentence)
    expect(row().nth(0).getByRole('alert').query()).toBeNull()
    expect(client.inputs(path)).toEqual([{ id: of.id }])
  })
})
