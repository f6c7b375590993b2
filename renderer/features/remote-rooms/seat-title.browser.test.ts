import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { LampState } from '../../ui/tally.ts'
import { departures } from '../../testing/departures.ts'
import { answer, joinedSessionOf, joinedId, seatSessionOf, type SessionAnswer } from '../../testing/joined-doors.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { roomWords } from '../rooms/words.ts'
import { joiningWords } from './words.ts'
import SeatTitle from './seat-title.vue'
import { useSeatPage } from './seat-page.ts'

const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')
const roomEn = spoken(roomWords, 'en')
const joiningEn = spoken(joiningWords, 'en')

const { seatPage: words } = seatsEn
type Options = Parameters<typeof mountedRoom>[1] & {
  readonly answerOf?: SessionAnswer
  readonly state?: LampState | null
}
const show = async ({ answerOf = () => answer(204), state = 'idle', ...options }: Options = {}) => {
  const { session: seatSession, requests } = seatSessionOf(answerOf)
  const calls: string[] = []
  const connection = { retry: () => void calls.push('retry'), restart: () => void calls.push('restart') }
  const shown = await mountedRoom(SeatTitle, {
    seatSession,
    connection,
    about: { seat },
    ...options,
    props: { state, name: 'Late night' },
  })
  return { requests, calls, ...shown }
}
const signOut = () => page.getByRole('button', { name: words.signOut, exact: true })
const back = () => page.getByRole('button', { name: joiningEn.joining.back, exact: true })

describe("the title of a moderator's page", () => {
  it('has the room, who moderates it, and how many are inside', async () => {
    await show({ panel: { online: 1284 } })
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Late night')
    await expect.element(page.getByText(`${seat.name} ${words.role}`)).toBeVisible()
    await expect.element(page.getByText(`${roomEn.room.online} 1,284`)).toBeVisible()
  })

  it('counts nobody while the app of the streamer is not in the room', async () => {
    await show({ panel: { phase: 'connecting', online: 12 } })
    await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(page.getByText(new RegExp(roomEn.room.online)).query()).toBeNull()
  })

  it('has the lamp of the channel, and none where the room belongs to no channel', async () => {
    await show({ state: 'live' })
    await expect.element(page.getByText(en.tally.live, { exact: true })).toBeVisible()
  })

  it('has no lamp where the room belongs to no channel', async () => {
    await show({ state: null })
    await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(document.querySelector('[data-figure="lamp"]')).toBeNull()
  })

  it('signs out, and begins the connection anew', async () => {
    const { requests, calls, pinia } = await show()
    await signOut().click()
    await expect.poll(() => calls).toEqual(['restart'])
    expect(requests).toEqual([['DELETE', '/session']])
    expect(useSeatPage(pinia).past).toBe('left')
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('stays signed in where nobody answers, and says so until it went well', async () => {
    let answered: Response | undefined
    const { calls } = await show({ answerOf: () => answered })
    await signOut().click()
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.signOutFailed)
    expect(calls).toEqual([])
    answered = answer(204)
    await signOut().click()
    await expect.poll(() => calls).toEqual(['restart'])
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it.each([
    ['that answers', answer(204)],
    ['that does not answer', undefined],
  ])('of a joined room leaves the other computer, one %s, and leads back to the rooms', async (_case, answered) => {
    const gone = departures()
    const { session: joinedSession, requests } = joinedSessionOf(() => answered)
    await show({ joinedSession })
    expect(signOut().query()).toBeNull()
    await back().click()
    await expect.poll(() => gone).toEqual(['/#/join'])
    expect(requests).toEqual([['DELETE', `/joined/${joinedId}/session`]])
  })

  it('offers the look of the page', async () => {
    await show()
    await expect.element(page.getByRole('group', { name: words.look })).toBeVisible()
  })
})
