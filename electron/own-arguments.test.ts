import { expect, it } from 'vitest'
import { ownArguments } from './own-arguments.ts'

it('takes its own switches with their values out of a command line, in their order', () => {
  const ours = ['data', 'port', 'api-port', 'media-port', 'rtmp-port', 'recording-minute', 'recording-reserve'].flatMap(
    (name, index) => [`--${name}`, String(index)],
  )
  expect(ownArguments(['.', '--tethered', ...ours, '--no-sandbox', '--type=gpu', 'word'])).toEqual(ours)
})

it('leaves out a switch without a value', () => {
  expect(ownArguments(['--data'])).toEqual([])
})

it('takes nothing that stands behind a link, which anybody can make', () => {
  expect(ownArguments(['--data', '/d', 'sidestage://room/7', '--data', '/evil'])).toEqual(['--data', '/d'])
  expect(ownArguments([' "sidestage:x', '--data', '/evil'])).toEqual([])
})
