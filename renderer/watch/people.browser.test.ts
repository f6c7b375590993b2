import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pageHeader } from '../../contract/watch.ts'
import { pageId } from './page-id.ts'
import { chooseNick, chosenNick, guestOf, GuestRefused, onNickChosen } from './people.ts'

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
    expect(await guestOf('c1', 'Guest 1')).toEqual({ accid: 'guest1', token: 't1', isGuest: true })
    // A page that plays has a guest where an address has had many.
    const options = { method: 'POST', headers: { [pageHeader]: pageId } }
    expect(asked).toEqual([[expect.stringMatching(/\/watch\/c1\/guest$/), options]])
  })

  it.each([200, 403, 429, 500])('is refused with the answer that came: %i', async (status) => {
    answering(() => Promise.resolve(new Response('{}', { status })))
    const error: unknown = await guestOf('c1', 'Guest 1').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(GuestRefused)
    expect(error).toHaveProperty('status', status)
  })

  it('is refused with 0 where no answer came', async () => {
    answering(() => Promise.reject(new TypeError('no network')))
    await expect(guestOf('c1', 'Guest 1')).rejects.toMatchObject({ status: 0 })
    expect(chosenNick()).toBeUndefined()
  })

  it('is the same, with one name, in tabs that open at the same moment in a browser that was never here', async () => {
    // As the service does: whoever asks without a cookie gets a new one.
    let cookie: string | undefined
    let made = 0
    answering(async () => {
      const accid = cookie ?? `guest${(made += 1)}`
      await new Promise((resolve) => setTimeout(resolve))
      cookie = accid
      return new Response(JSON.stringify({ accid, token: 't1', expires: 5 }), { status: 201 })
    })
    const tabs = await Promise.all(['Guest 1', 'Guest 2', 'Guest 3'].map((name) => guestOf('c1', name)))
    expect(tabs.map(({ accid }) => accid)).toEqual(['guest1', 'guest1', 'guest1'])
    expect(chosenNick()).toBe('Guest 1')
  })
})

describe('the chosen name', () => {
  it('is none at first, and is kept for the next visit', () => {
    expect(chosenNick()).toBeUndefined()
    chooseNick('Wren')
    expect(chosenNick()).toBe('Wren')
    expect(localStorage.getItem('sidestage-nick')).toBe('Wren')
  })

  it('is told when another tab has chosen one', () => {
    const told: string[] = []
    onNickChosen((nick) => told.push(nick))
    for (const change of [{ key: 'sidestage-nick', newValue: 'Wren' }, { key: 'sidestage-nick' }, { key: 'else' }])
      dispatchEvent(new StorageEvent('storage', change))
    expect(told).toEqual(['Wren'])
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
