import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Seat, SeatBoard } from '../../../contract/rpc/index.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { en } from '../frame/words.en.ts'
import SeatList from './seat-list.vue'
import { seatsEn } from './words.en.ts'

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
