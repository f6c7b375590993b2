import { describe, expect, it } from 'vitest'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { strangerBounds } from '../media/rtmp-chunk-reader.ts'
import { isLive, readCommand, readConnect } from './rtmp-commands.ts'

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
