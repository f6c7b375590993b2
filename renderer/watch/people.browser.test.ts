import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pageHeader } from '../../contract/watch.ts'
import { pageId } from './page-id.ts'
import { chooseNick, chosenNick, guestOf, GuestRefused } from './people.ts'

beforeEach(() => localStorage.clear())
afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})
const answering = (answer: () => Promise<Response>): unknown[][] => {
  const asked: unknown[][] = []
  vi.stubGlobal('fetch', (...given: unknown[]) => {
    asked.push(given)
    return answer()
  })
  return asked
}

describe('a guest', () => {
  it('is made for the channel, with what the service gave', async () => {
    const body = JSON.stringify({ accid: 'guest1', token: 't1', expires: 5 })
    const asked = answering(() => Promise.resolve(new Response(body, { status: 201 })))
    expect(await guestOf('c1')).toEqual({ accid: 'guest1', token: 't1', isGuest: true })
    // A page that plays has a guest where an address has had many.
    const options = { method: 'POST', headers: { [pageHeader]: pageId } }
    expect(asked).toEqual([[expect.stringMatching(/\/watch\/c1\/guest$/), options]])
  })

  it.each([200, 403, 429, 500])('is refused with the answer that came: %i', async (status) => {
    answering(() => Promise.resolve(new Response('{}', { status })))
    const error: unknown = await guestOf('c1').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(GuestRefused)
    expect(error).toHaveProperty('status', status)
  })

  it('is refused with 0 where no answer came', async () => {
    answering(() => Promise.reject(new TypeError('no network')))
    await expect(guestOf('c1')).rejects.toMatchObject({ status: 0 })
  })
})

describe('the chosen name', () => {
  it('is none at first, and is kept for the next visit', () => {
    expect(chosenNick()).toBeUndefined()
    chooseNick('Wren')
    expect(chosenNick()).toBe('Wren')
    expect(localStorage.getItem('sidestage-nick')).toBe('Wren')
  })

  it('is none, and is not kept, where the browser keeps nothing', () => {
    const refuse = (): never => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, clear: () => undefined })
    expect(() => chooseNick('Wren')).not.toThrow()
    expect(chosenNick()).toBeUndefined()
  })
})
