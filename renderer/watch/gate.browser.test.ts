import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WatchState } from '../../contract/watch.ts'
import { createGate } from './gate.ts'
import { say, type Word } from './words.ts'

const state: WatchState = { title: 'Late night', live: true, disabled: false, time: 0, viewers: 0 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})
const settle = async (ms = 0): Promise<void> => {
  for (let turn = 0; turn < 8; turn++) await vi.advanceTimersByTimeAsync(turn === 0 ? ms : 0)
}

/** A gate before a service that answers what the test says. */
function show(first: WatchState, wasInside = false) {
  const asked: (readonly [string, string | undefined, unknown])[] = []
  const service: { status: number; wait?: string; after: WatchState } = { status: 204, after: state }
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
    asked.push([address, init?.method, JSON.parse(init?.body as string)])
    if (service.status === 0) return Promise.reject(new TypeError('no network'))
    const headers = service.wait === undefined ? {} : { 'retry-after': service.wait }
    return Promise.resolve(new Response(null, { status: service.status, headers }))
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
  })
  let entries = 0
  let openings = 0
  const gate = createGate(
    () => {
      entries += 1
      gate.show(service.after, false)
      return Promise.resolve()
    },
    () => (openings += 1),
  )
  document.body.append(gate.node)
  gate.show(first, wasInside)
  const find = (selector: string): HTMLElement => gate.node.querySelector<HTMLElement>(selector)!
  const form = gate.node.querySelector('form')!
  const field = gate.node.querySelector<HTMLInputElement>('#passphrase')!
  const seen = (selector: string): string => (find(selector).hidden ? '' : find(selector).textContent)
  return {
    gate,
    asked,
    service,
    entries: () => entries,
    openings: () => openings,
    find,
    seen,
    field,
    form,
    submit: find('button[type=submit]'),
    trouble: () => seen('.gate-trouble'),
    enter: async (passphrase: string): Promise<void> => {
      field.value = passphrase
      form.requestSubmit()
      await settle()
    },
  }
}
const passphrase: WatchState = { ...state, gate: 'passphrase' }

describe('who is not let in', () => {
  it.each([
    ['passphrase', 'gatePassphrase', 'gatePassphraseNote'],
    ['link', 'gateLink', 'gateLinkNote'],
    ['ended', 'gateEnded', 'gateEndedNote'],
    ['full', 'gateFull', 'gateFullNote'],
    ['closed', 'gateClosed', 'gateClosedNote'],
  ] as const satisfies readonly (readonly [string, Word, Word])[])('reads why: %s', (gate, title, note) => {
    const { seen, find } = show({ ...state, gate })
    expect([seen('h2'), seen('.gate-note'), seen('.gate-why')]).toEqual([say(title), say(note), ''])
    expect(find('form').hidden).toBe(gate !== 'passphrase')
  })

  it.each([
    ['passphrase', 'outPassphrase'],
    ['link', 'outLink'],
    ['closed', 'outClosed'],
  ] as const)('reads what changed if they watched until now, where their focus goes: %s', (gate, word) => {
    const { seen, field, find } = show({ ...state, gate }, true)
    expect(seen('.gate-why')).toBe(say(word))
    expect(document.activeElement).toBe(gate === 'passphrase' ? field : find('h2'))
  })

  it.each([
    ['ended', 'linkEnded', false],
    ['ended', 'linkEnded', true],
    ['revoked', 'linkOver', false],
    ['revoked', 'linkOver', true],
  ] as const)(
    'reads first that the link they came by is %s: %s, who watched before: %s',
    (linkOver, word, wasInside) => {
      const { seen, find } = show({ ...passphrase, linkOver }, wasInside)
      expect([seen('.gate-why'), seen('h2')]).toEqual([say(word), say('gatePassphrase')])
      expect(find('.gate-why').compareDocumentPosition(find('form'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    },
  )

  it('reads their place in the queue as it changes, and is left alone once they are let in', () => {
    const { gate, seen } = show({ ...state, gate: 'full', ahead: 1200 })
    expect(seen('.gate-turn')).toBe(say('ahead', { count: '1,200' }))
    gate.show({ ...state, gate: 'full', ahead: 1 }, false)
    expect(seen('.gate-turn')).toBe(say('aheadOne'))
    gate.show({ ...state, gate: 'full', ahead: 0 }, false)
    expect(seen('.gate-turn')).toBe(say('aheadNone'))
    gate.show({ ...state, gate: 'full', isLinkFull: true }, false)
    expect([seen('h2'), seen('.gate-turn')]).toEqual([say('gateLinkFull'), ''])
    gate.show({ ...state, gate: 'full', isShareFull: true, ahead: 0 }, false)
    expect([seen('h2'), seen('.gate-note'), seen('.gate-turn')]).toEqual([
      say('gateShareFull'),
      say('gateShareFullNote'),
      say('aheadNone'),
    ])
    gate.show({ ...state, gate: 'full' }, false)
    expect(seen('.gate-turn')).toBe('')
    expect(seen('h2')).toBe(say('gateFull'))
    gate.show(state, false)
    expect(gate.node.hidden).toBe(true)
  })
})

describe('the passphrase', () => {
  it('is posted to the service, which lets in, and is kept nowhere in the page', async () => {
    const { asked, enter, entries, gate, field } = show(passphrase)
    await enter('tape loops')
    expect(asked).toEqual([[expect.stringMatching(/\/watch\/[^/]*\/enter$/), 'POST', { passphrase: 'tape loops' }]])
    expect([entries(), gate.node.hidden, field.value]).toEqual([1, true, ''])
    expect(location.href).not.toContain('tape')
  })

  it('is offered at a full link where it lets in, and what is typed stays while the page waits', async () => {
    const full = { ...state, gate: 'full', isLinkFull: true } as const
    const { gate, form, field, seen, asked, enter } = show(full)
    expect([form.hidden, seen('.gate-note')]).toEqual([true, say('gateLinkFullNote')])
    gate.show({ ...full, takesPassphrase: true }, false)
    expect([form.hidden, seen('h2'), seen('.gate-note')]).toEqual([
      false,
      say('gateLinkFull'),
      say('gateLinkFullPassphrase'),
    ])
    field.value = 'tape'
    gate.show({ ...full, takesPassphrase: true }, false)
    expect(field.value).toBe('tape')
    await enter('tape loops')
    expect([asked.length, gate.node.hidden]).toEqual([1, true])
  })

  it('is a field that no manager of passwords fills or keeps, and that can be shown', () => {
    const { field, find } = show(passphrase)
    expect([field.type, field.autocomplete, field.dataset['lpignore'], field.maxLength]).toEqual([
      'password',
      'off',
      'true',
      128,
    ])
    find('[type=checkbox]').click()
    expect(field.type).toBe('text')
    find('[type=checkbox]').click()
    expect(field.type).toBe('password')
  })

  it('may be wrong, which is said until it is changed', async () => {
    const { enter, service, trouble, field, entries } = show(passphrase)
    service.status = 403
    await enter('wrong')
    expect([trouble(), entries()]).toEqual([say('passphraseWrong'), 0])
    expect(document.activeElement).toBe(field)
    field.dispatchEvent(new Event('input'))
    expect(trouble()).toBe('')
  })

  it('waits for as many seconds as the service says after too many wrong ones', async () => {
    const { enter, service, trouble, asked, submit } = show(passphrase)
    Object.assign(service, { status: 429, wait: '3' })
    await enter('wrong')
    expect([trouble(), submit.getAttribute('aria-disabled')]).toEqual([say('passphraseWait', { seconds: 3 }), 'true'])
    await enter('again')
    expect(asked).toHaveLength(1)
    await settle(2000)
    expect(trouble()).toBe(say('passphraseWait', { seconds: 1 }))
    await settle(1000)
    expect([trouble(), submit.getAttribute('aria-disabled')]).toEqual([say('passphraseAgain'), 'false'])
    await enter('again')
    expect(asked).toHaveLength(2)
  })

  it('waits half a minute where the service says no time', async () => {
    const { enter, service, trouble } = show(passphrase)
    service.status = 429
    await enter('wrong')
    expect(trouble()).toBe(say('passphraseWait', { seconds: 30 }))
  })

  it.each([0, 500])('is not lost when the service does not answer: %i', async (status) => {
    const { enter, service, trouble, field } = show(passphrase)
    service.status = status
    await enter('tape loops')
    expect([trouble(), field.value]).toEqual([say('notEntered'), 'tape loops'])
  })

  it('is right, but the browser keeps no cookie: that is said instead of asking again and again', async () => {
    const { enter, service, trouble } = show(passphrase)
    service.after = passphrase
    await enter('tape loops')
    expect(trouble()).toBe(say('notKept'))
  })

  it('is not sent when it is empty, nor twice at once', async () => {
    const { asked, form, field } = show(passphrase)
    field.removeAttribute('required')
    form.requestSubmit()
    field.value = 'a'
    form.requestSubmit()
    form.requestSubmit()
    await settle()
    expect(asked).toHaveLength(1)
  })
})

it('tells of the passphrase that let in, and of none that did not', async () => {
  const { enter, service, openings } = show({ ...state, live: false, gate: 'passphrase' })
  service.status = 403
  await enter('wrong')
  expect(openings()).toBe(0)
  service.status = 204
  await enter('right')
  expect(openings()).toBe(1)
})
