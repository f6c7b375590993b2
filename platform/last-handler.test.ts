import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { hearEveryFault } from './last-handler.ts'

it('tells of a promise that nobody waited for and of an exception that was not caught, each with its reason', () => {
  const source = new EventEmitter()
  const said: unknown[] = []
  hearEveryFault(source, (what, reason) => said.push([what, reason]))
  source.emit('unhandledRejection', 'one')
  source.emit('uncaughtException', 'two')
  expect(said).toEqual([
    ['a promise failed and nobody waited for it; going on', 'one'],
    ['an exception was not caught; going on', 'two'],
  ])
})
