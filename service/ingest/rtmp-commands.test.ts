import { describe, expect, it } from 'vitest'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { strangerBounds } from '../media/rtmp-chunk-reader.ts'
import { maxConnect, isLive, readCommand, readConnect } from './rtmp-commands.ts'

describe('a command', () => {
  it('has a name, a transaction, a subject and values', () => {
    expect(readCommand(writeAmf0('publish', 3, null, 'name', 'live'))).toEqual({
      name: 'publish',
      transaction: 3,
      subject: null,
      values: ['name', 'live'],
    })
    expect(readCommand(writeAmf0('publish', 'three', null)).transaction).toBe(0)
  })

  it('is not read beyond the longest message of a stranger', () => {
    expect(() => readCommand(Buffer.alloc(strangerBounds.message + 1))).toThrow('a command over the limit')
  })
})

describe('connect', () => {
  it('tells application, tcUrl and encoder', () => {
    expect(readConnect({ app: 'live', tcUrl: 'rtmp://h/live', flashVer: ' an\nencoder ' })).toEqual({
      app: 'live',
      tcUrl: 'rtmp://h/live',
      encoder: 'an encoder',
    })
  })

  it('without texts tells empty ones, whatever came in their place', () => {
    for (const subject of [null, 'live', 5, {}, { app: 5, tcUrl: null, flashVer: true }])
      expect(readConnect(subject)).toEqual({ app: '', tcUrl: '', encoder: undefined })
  })

  it('is to the application live, with whatever follows it', () => {
    for (const app of ['live', 'live/', 'live/x', 'live?a=b', 'live\\?a', 'live%3Fa'])
      expect(isLive(app), app).toBe(true)
    for (const app of ['', 'liveness', 'vod', '/live', 'Live', 'live.']) expect(isLive(app), app).toBe(false)
  })
})

it('a command has as many bytes as the longest message of a stranger, and connect 16 KiB', () => {
  expect([strangerBounds.message, maxConnect]).toEqual([65_536, 16_384])
  const overhead = writeAmf0('publish', 3, null, 'x'.repeat(60_000)).length - 60_000
  const whole = writeAmf0('publish', 3, null, 'x'.repeat(65_536 - overhead))
  expect(whole).toHaveLength(65_536)
  expect(readCommand(whole).name).toBe('publish')
})

it('connect reads members of its own only', () => {
  const subject = Object.create({ app: 'live' }) as Record<string, string>
  subject['tcUrl'] = 'rtmp://h'
  expect(readConnect(subject)).toEqual({ app: '', tcUrl: 'rtmp://h', encoder: undefined })
})

it('a command without values has none', () => {
  expect(readCommand(writeAmf0('createStream', 2, null))).toEqual({
    name: 'createStream',
    transaction: 2,
    subject: null,
    values: [],
  })
  expect(readCommand(Buffer.alloc(0))).toEqual({ name: undefined, transaction: 0, subject: undefined, values: [] })
})
