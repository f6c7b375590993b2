import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { useCompanion } from '../../data/companion.ts'
import { answer, joinedSessionOf, seatSessionOf } from '../../testing/joined-doors.ts'
import { mounted } from '../../testing/mounted.ts'
import { quietRoom } from '../../testing/mounted-room.ts'
import { roomPanel, seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { joiningWords } from './words.ts'
import SeatView from './seat-view.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')
const seatsEn = spoken(seatsWords, 'en')
const joiningEn = spoken(joiningWords, 'en')

const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(SeatView, {
    about: { seat },
    ...options,
    answers: { ...quietRoom, 'rooms.enter': () => roomPanel(), ...options.answers },
  })
const signIn = () => page.getByRole('heading', { name: seatsEn.seatPage.signIn })
const room = () => page.getByRole('button', { name: seatsEn.seatPage.signOut })
const joined = async (response: Response) => {
  const { session } = joinedSessionOf(() => response)
  await session.enter()
  return session
}

describe("a moderator's page", () => {
  it('shows the room once it is known whose seat it is', async () => {
    await show()
    await expect.element(room()).toBeVisible()
    expect(signIn().query()).toBeNull()
  })

  it.each([
    ['en', en],
    ['zh', zh],
  ] as const)('says that it connects until it is known whose seat it is, in %s', async (language, words) => {
    await show({ about: { seat: null }, language })
    await expect.element(page.getByRole('status')).toMatchTextContent(words.line.connecting)
    expect(page.getByRole('button').elements()).toEqual([])
  })

  it('says that it connects until the profiles are there', async () => {
    await show({ before: (pinia) => void (useCompanion(pinia).profiles = null) })
    await expect.element(page.getByRole('status')).toMatchTextContent(en.line.connecting)
    expect(room().query()).toBeNull()
  })

  it('asks to sign in without a session, and shows nothing of the room', async () => {
    const { pinia } = await show()
    await expect.element(room()).toBeVisible()
    useCompanion(pinia).lineIs('unauthorized')
    await expect.element(signIn()).toBeVisible()
    await expect.element(room()).not.toBeInTheDocument()
  })

  it('says after signing out that nobody is signed in any more', async () => {
    const { session: seatSession } = seatSessionOf(() => answer(204))
    let restarts = 0
    const { pinia } = await show({
      seatSession,
      connection: { retry: () => undefined, restart: () => void (restarts += 1) },
    })
    await room().click()
    await expect.poll(() => restarts).toBe(1)
    // The companion does not let in a page without a session.
    useCompanion(pinia).lineIs('unauthorized')
    await expect.element(signIn()).toBeVisible()
    await expect.element(page.getByText(seatsEn.seatPage.left)).toBeVisible()
  })

  it('keeps the room while the line is lost', async () => {
    const { lose } = await show()
    await expect.element(room()).toBeVisible()
    await lose()
    await expect.element(room()).toBeVisible()
    expect(signIn().query()).toBeNull()
  })

  it('of a joined room says why it is not let in, without the sign-in of a browser', async () => {
    await show({
      joinedSession: await joined(answer(502, { 'sidestage-trouble': 'changed' })),
      before: (pinia) => useCompanion(pinia).lineIs('unauthorized'),
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(joiningEn.joining.trouble.changed.title)
    expect(signIn().query()).toBeNull()
  })

  it('of a joined room says that the other computer does not answer while nothing of the room is there yet', async () => {
    await show({
      joinedSession: await joined(answer(502, { 'sidestage-trouble': 'offline' })),
      before: (pinia) => {
        const companion = useCompanion(pinia)
        companion.profiles = null
        companion.lineIs('lost')
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(joiningEn.joining.trouble.offline.title)
  })

  it('of a joined room keeps the room while the other computer does not answer', async () => {
    await show({ joinedSession: await joined(answer(502, { 'sidestage-trouble': 'offline' })) })
    await expect.element(page.getByRole('button', { name: joiningEn.joining.back })).toBeVisible()
    expect(page.getByText(joiningEn.joining.trouble.offline.title).query()).toBeNull()
  })
})
