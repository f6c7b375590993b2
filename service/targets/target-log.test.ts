import { expect, it } from 'vitest'
import { createTargetLog } from './target-log.ts'
import type { TargetProgress } from './target.ts'

it('only of a target that got something the log says that it gets nothing more', () => {
  const lines: string[] = []
  const line = (_details: object, message: string): void => void lines.push(message)
  const log = createTargetLog({ info: line, warn: line })
  const target = { cid: 'a', targetId: 1, url: 'rtmp://a.example/app' }
  const become = (...states: TargetProgress['state'][]): string => {
    for (const state of states) log.changed(target, { state, dropped: 0 } as TargetProgress)
    return lines.at(-1)!
  }
  const over = 'a target gets nothing more: the push ended, or the target was changed'
  const never = 'the push ended, or the target was changed, before a target got it'
  expect(become('connecting', 'retrying', 'off')).toBe(never)
  expect(become('connecting', 'sending', 'retrying', 'off')).toBe(over)
  // Each push anew.
  expect(become('noKey', 'off')).toBe(never)
  expect(become('sending', 'stopped', 'off')).toBe(over)
  expect(become('connecting', 'waiting')).toBe('a target has taken the push, and waits for a picture')
  expect(become('sending')).toBe('a target gets the push')
  expect(become('off')).toBe(over)
  expect(become('waiting', 'off')).toBe(never)
  become('sending')
  log.forget(1)
  expect(become('refused', 'off')).toBe(never)
})

it('says of a certificate that is not accepted how an authority is named', () => {
  const lines: string[] = []
  const line = (_details: object, message: string): void => void lines.push(message)
  const log = createTargetLog({ info: line, warn: line })
  const target = { cid: 'a', targetId: 1, url: 'rtmps://a.example/app' }
  for (const reason of ['certificate', 'closed'] as const)
    log.changed(target, { state: 'retrying', reason, dropped: 0 } as TargetProgress)
  expect(lines).toEqual([
    'a target does not get the push; it is tried again: its certificate is not accepted; ' +
      'NODE_EXTRA_CA_CERTS in the environment of the service names an authority of its own',
    'a target does not get the push; it is tried again',
  ])
})
