import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Unauthorized } from './client.ts'
import { openPort, openSocket, portOpener, socketOpener } from './openers.ts'
import { portMessage, type DesktopShell } from './shell.ts'

class SocketDouble extends EventTarget {
  static made: SocketDouble[] = []
  closed = 0
  readyState = 0
  readonly url: string
  constructor(url: string | URL) {
    super()
    this.url = String(url)
    SocketDouble.made.push(this)
  }
  send(): void {
    // Nothing is asked in these tests.
  }
  close(): void {
    this.closed += 1
  }
  opens(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }
  ends(): void {
    this.dispatchEvent(new Event('close'))
  }
}
const page = (change: Partial<Window> = {}): Window =>
  Object.assign(new EventTarget(), {
    location: { href: 'https://localhost:8700/?x=1#token', hash: '', pathname: '/', search: '' },
    history: { replaceState: () => undefined },
    ...change,
  }) as unknown as Window

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', SocketDouble)
  SocketDouble.made = []
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
const socket = (): SocketDouble => SocketDouble.made[0]!

describe('a line over a socket', () => {
  it('leads to the page’s own origin, and tells once when it is lost', async () => {
    let lost = 0
    const opening = openSocket(page(), '/rpc', () => (lost += 1))
    expect(socket().url).toBe('wss://localhost:8700/rpc')
    socket().opens()
    await opening
    socket().ends()
    socket().ends()
    expect(lost).toBe(1)
  })

  it('tells nothing when the page itself closes it', async () => {
    let lost = 0
    const opening = openSocket(page(), '/rpc', () => (lost += 1))
    socket().opens()
    const line = await opening
    line.close()
    socket().ends()
    expect([lost, socket().closed]).toEqual([0, 1])
  })

  it('that closes before it is open is none', async () => {
    let lost = 0
    const opening = openSocket(page(), '/rpc', () => (lost += 1))
    socket().ends()
    await expect(opening).rejects.toThrow('the connection was closed')
    expect(lost).toBe(0)
  })

  it('that is not open after 5 s is given up', async () => {
    const opening = openSocket(page(), '/rpc', () => undefined)
    const refused = expect(opening).rejects.toThrow('the companion did not answer')
    await vi.advanceTimersByTimeAsync(4999)
    expect(socket().closed).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await refused
    expect(socket().closed).toBe(1)
  })

  it('is opened after the sign-in, and says how people sign in', async () => {
    const doors: string[] = []
    const answer = { status: 204, headers: new Headers({ 'sidestage-door': 'account' }) } as Response
    const opening = socketOpener(page({ fetch: () => Promise.resolve(answer) }), (authMethod) =>
      doors.push(authMethod),
    ).open(() => undefined)
    await vi.waitFor(() => expect(SocketDouble.made).toHaveLength(1))
    socket().opens()
    await opening
    expect(doors).toEqual(['account'])
    expect(socket().url).toBe('wss://localhost:8700/rpc')
  })

  it('is not opened without a session, which says how people sign in', async () => {
    const doors: string[] = []
    const answer = { status: 401, headers: new Headers({ 'sidestage-door': 'account' }) } as Response
    const opening = socketOpener(page({ fetch: () => Promise.resolve(answer) }), (authMethod) =>
      doors.push(authMethod),
    ).open(() => undefined)
    await expect(opening).rejects.toBeInstanceOf(Unauthorized)
    expect([doors, SocketDouble.made]).toEqual([['account'], []])
  })
})

describe('a line over a port of the shell', () => {
  const message = (source: unknown, data: unknown, ports: readonly MessagePort[]): Event =>
    Object.assign(new Event('message'), { source, data, ports })

  it('is the port that the shell sends to this page after it was asked', async () => {
    const window = page()
    let asked = 0
    let lost = 0
    const { port1, port2 } = new MessageChannel()
    const opening = openPort(
      window,
      () => (asked += 1),
      () => (lost += 1),
    )
    expect(asked).toBe(1)
    let isOpen = false
    const opened = opening.then((line) => {
      isOpen = true
      return line
    })
    // From another window, of another kind, or without a port.
    window.dispatchEvent(message({}, { type: portMessage }, [port1]))
    window.dispatchEvent(message(window, { type: 'other' }, [port1]))
    window.dispatchEvent(message(window, { type: portMessage }, []))
    window.dispatchEvent(message(window, null, [port1]))
    await vi.advanceTimersByTimeAsync(0)
    expect(isOpen).toBe(false)
    window.dispatchEvent(message(window, { type: portMessage }, [port1]))
    const line = await opened
    port1.dispatchEvent(new Event('close'))
    expect(lost).toBe(1)
    line.close()
    port2.close()
  })

  it('tells nothing when the page itself closes it', async () => {
    const window = page()
    let lost = 0
    const { port1, port2 } = new MessageChannel()
    const opening = openPort(
      window,
      () => undefined,
      () => (lost += 1),
    )
    window.dispatchEvent(message(window, { type: portMessage }, [port1]))
    const line = await opening
    line.close()
    port1.dispatchEvent(new Event('close'))
    expect(lost).toBe(0)
    port2.close()
  })

  it('is asked of the shell, and given up after 5 s', async () => {
    let asked = 0
    const shell = { connect: () => (asked += 1) } as unknown as DesktopShell
    const opening = portOpener(page(), shell).open(() => undefined)
    const refused = expect(opening).rejects.toThrow('the companion did not answer')
    await vi.advanceTimersByTimeAsync(5000)
    await refused
    expect(asked).toBe(1)
  })
})
