import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { departures } from '../../testing/departures.ts'
import { answer, joinedSessionOf, joinedId, type SessionAnswer } from '../../testing/joined-doors.ts'
import { mounted } from '../../testing/mounted.ts'
import { seat } from '../../testing/room-values.ts'
import JoinedWayIn from './joined-way-in.vue'
import { spoken } from '../../format/languages.ts'
import { joiningWords } from './words.ts'

const joiningEn = spoken(joiningWords, 'en')
const joiningZh = spoken(joiningWords, 'zh')

const { joining: words } = joiningEn
const session = `/joined/${joinedId}/session`
const refusedBy = (what: string, wait = 0) => answer(502, { 'sidestage-trouble': what, 'retry-after': String(wait) })
/** The page of a joined room after its first try, to which the other computer answered with `first`. */
const show = async (
  first: Response,
  { then = () => answer(204), ...options }: Parameters<typeof mounted>[1] & { readonly then?: SessionAnswer } = {},
) => {
  let tries = 0
  const { session, requests } = joinedSessionOf((request) => (tries++ === 0 ? first : then(request)))
  const calls: string[] = []
  const connection = { retry: () => void calls.push('retry'), restart: () => void calls.push('restart') }
  const shown = await mounted(JoinedWayIn, { joinedSession: session, connection, ...options })
  await session.enter()
  requests.length = 0
  return { requests, calls, ...shown }
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const note = () => page.getByRole('alert')
const token = () => page.getByLabelText(words.form.token, { exact: true })
const code = () => page.getByLabelText(words.form.code, { exact: true })

describe('the page of a joined room that is not let in', () => {
  it.each(['offline', 'changed', 'token', 'notOurs', 'elsewhere', 'plain', 'full'] as const)(
    'says why, and what to do: %s',
    async (what) => {
      await show(refusedBy(what))
      await expect.element(note()).toMatchTextContent(words.trouble[what].title)
      await expect.element(note()).toMatchTextContent(words.trouble[what].text)
    },
  )

  it('says why in Chinese', async () => {
    await show(refusedBy('changed'), { language: 'zh' })
    await expect.element(note()).toMatchTextContent(joiningZh.joining.trouble.changed.title)
    await expect.element(note()).toMatchTextContent(joiningZh.joining.trouble.changed.text)
  })

  it('says that the seat was taken back where the kept token is refused, and that what was entered was wrong after that', async () => {
    await show(refusedBy('refused'), { then: () => refusedBy('refused') })
    await expect.element(note()).toMatchTextContent(words.trouble.ended.title)
    await token().fill('wrong')
    await button(words.signIn).click()
    await expect.element(note()).toMatchTextContent(words.trouble.refused.title)
    await expect.element(note()).not.toMatchTextContent(words.trouble.ended.title)
  })

  it.each([
    ['refused', true],
    ['token', true],
    ['offline', false],
    ['changed', false],
    ['full', false],
  ] as const)('asks for token and code only where they are what is missing: %s', async (what, isAsked) => {
    await show(refusedBy(what))
    await expect.element(note()).toBeVisible()
    expect(token().elements()).toHaveLength(isAsked ? 1 : 0)
    expect(code().elements()).toHaveLength(isAsked ? 1 : 0)
    expect(button(words.signIn).elements()).toHaveLength(isAsked ? 1 : 0)
  })

  it('says that it tries by itself only while the other computer does not answer', async () => {
    await show(refusedBy('offline'))
    await expect.element(page.getByRole('status')).toMatchTextContent(words.trying)
  })

  it('does not say that it tries by itself where that would not help', async () => {
    await show(refusedBy('changed'))
    await expect.element(note()).toBeVisible()
    expect(page.getByText(words.trying).query()).toBeNull()
  })

  it('cannot be tried again once the room was forgotten here, and leads back', async () => {
    const gone = departures()
    await show(answer(404))
    await expect.element(note()).toMatchTextContent(words.trouble.gone.title)
    expect(button(words.again).query()).toBeNull()
    await button(words.back).click()
    await expect.poll(() => gone).toEqual(['/#/join'])
  })

  it('tries again with the kept token, and connects when that is let in', async () => {
    const { requests, calls } = await show(refusedBy('offline'))
    await button(words.again).click()
    await expect.poll(() => calls).toEqual(['retry'])
    expect(requests).toEqual([['POST', session, {}]])
  })

  it('does not connect when another try is refused', async () => {
    const { calls } = await show(refusedBy('offline'), { then: () => refusedBy('full') })
    await button(words.again).click()
    await expect.element(note()).toMatchTextContent(words.trouble.full.title)
    expect(calls).toEqual([])
  })

  it('signs in with the token and the code that are entered, without spaces around them', async () => {
    const { requests, calls } = await show(refusedBy('token'))
    await token().fill(' new-token ')
    await code().fill(' code-1234 ')
    await button(words.signIn).click()
    await expect.poll(() => calls).toEqual(['retry'])
    expect(requests).toEqual([['POST', session, { token: 'new-token', code: 'code-1234' }]])
    await expect.element(token()).not.toBeInTheDocument()
  })

  it('sends nothing without a token', async () => {
    const { requests } = await show(refusedBy('token'))
    await token().fill('  ')
    await button(words.signIn).click()
    expect(requests).toEqual([])
  })

  it('counts the seconds down until the next try counts, and sends none before', async () => {
    const { requests, calls, pass } = await show(refusedBy('refused', 3))
    await token().fill('new-token')
    for (const seconds of [3, 2, 1]) {
      await expect.element(page.getByRole('timer')).toMatchTextContent(words.wait.replace('{n}', String(seconds)))
      await expect.element(button(words.signIn)).toHaveAttribute('aria-disabled', 'true')
      await button(words.signIn).click({ force: true })
      expect(requests).toEqual([])
      await pass(1_000)
    }
    await expect.element(page.getByRole('timer')).not.toBeInTheDocument()
    await button(words.signIn).click()
    await expect.poll(() => calls).toEqual(['retry'])
  })

  it('begins anew where it showed the seat before, so that nothing of it stays', async () => {
    const gone = departures()
    const { calls } = await show(refusedBy('token'), { about: { seat } })
    await token().fill('new-token')
    await button(words.signIn).click()
    await expect.poll(() => gone).toEqual(['reload'])
    expect(calls).toEqual([])
  })
})

describe('the window of a joined room', () => {
  it('has no way back to the rooms, which are in the window of the app', async () => {
    const { href } = window.location
    window.history.replaceState(null, '', '#/pop-out/room/7/local')
    onTestFinished(() => window.history.replaceState(null, '', href))
    await show(refusedBy('offline'))
    await expect.element(button(words.again)).toBeVisible()
    expect(button(words.back).query()).toBeNull()
  })

  it('tries once at a time, and waits as long as it is told also without a token', async () => {
    const gate = Promise.withResolvers<Response>()
    const { requests, calls, pass } = await show(refusedBy('offline', 2), { then: () => gate.promise })
    await button(words.again).click({ force: true })
    expect(requests).toEqual([])
    await pass(2_000)
    const again = button(words.again).element() as HTMLButtonElement
    again.click()
    again.click()
    await expect.poll(() => requests.length).toBe(1)
    gate.resolve(answer(204))
    await expect.poll(() => calls).toEqual(['retry'])
    expect(requests).toHaveLength(1)
  })
})
