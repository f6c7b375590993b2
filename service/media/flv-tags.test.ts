import { describe, expect, it } from 'vitest'
import { readAudioTag, readVideoTag } from './flv-tags.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const ignored = { kind: 'ignored' }
/** A tag with a four-character code: first byte, what stands between, code, rest. */
const tag = (first: string, fourCc: string, rest = '', between = ''): Buffer =>
  Buffer.concat([bytes(first), bytes(between), Buffer.from(fourCc, 'latin1'), bytes(rest)])
/** Kind, body in hex, key frame, configuration. */
const shown = (read: ReturnType<typeof readVideoTag>): unknown[] =>
  read.kind === 'media' ? [read.body.toString('hex'), read.keyFrame, read.configuration] : [read]

describe('readVideoTag', () => {
  it.each([
    ['a key frame', '17 01 000000 aa', true, false],
    ['an inter frame', '27 01 000000 aa', false, false],
    ['a disposable frame', '37 01 000000 aa', false, false],
    ['a sequence header', '17 00 000000 01', false, true],
  ])('takes %s of plain H.264 as it is', (_, hex, keyFrame, configuration) => {
    const body = bytes(hex)
    const read = readVideoTag(body)
    expect(read).toEqual({ kind: 'media', body, keyFrame, configuration })
    expect(read.kind === 'media' && read.body).toBe(body)
  })

  it.each([
    ['an empty body', ''],
    ['an end of sequence', '17 02 000000 aa'],
    ['a picture without a byte of data', '17 01 000000'],
    ['a command frame', '57 00'],
    ['a command frame of another codec', '52 00'],
  ])('ignores %s', (_, hex) => {
    expect(readVideoTag(bytes(hex))).toEqual(ignored)
  })

  it.each([
    ['22', 'H.263'],
    ['13', 'Screen video'],
    ['24', 'VP6'],
    ['25', 'VP6'],
    ['16', 'Screen video'],
    ['28', 'VP8'],
    ['19', 'VP9'],
    ['1c', 'HEVC'],
    ['1d', 'AV1'],
    ['1e', 'VP9'],
    ['11', 'video codec 1'],
    ['1f', 'video codec 15'],
  ])('names the codec of a plain video tag that begins with %s: %s', (hex, codec) => {
    expect(readVideoTag(bytes(`${hex} 01 000000 aa`))).toEqual({ kind: 'other', codec })
  })

  it('turns a sequence start of Enhanced RTMP into a plain sequence header', () => {
    expect(shown(readVideoTag(tag('90', 'avc1', '0164')))).toEqual(['17000000000164', false, true])
  })

  it('turns coded frames of Enhanced RTMP into plain ones and keeps their composition time', () => {
    expect(shown(readVideoTag(tag('91', 'avc1', '010050 aabb')))).toEqual(['1701010050aabb', true, false])
    expect(shown(readVideoTag(tag('a1', 'avc1', 'ffffd8 aa')))).toEqual(['2701ffffd8aa', false, false])
    expect(shown(readVideoTag(tag('91', 'avc1', '000050')))).toEqual(['1701000050', true, false])
    expect(readVideoTag(tag('91', 'avc1', '0000'))).toEqual(ignored)
  })

  it('gives coded frames without a composition time the composition time 0', () => {
    expect(shown(readVideoTag(tag('93', 'avc1', 'aabbccdd')))).toEqual(['1701000000aabbccdd', true, false])
    expect(shown(readVideoTag(tag('a3', 'avc1', 'aa')))).toEqual(['2701000000aa', false, false])
  })

  it('ignores the end of a sequence, metadata and command frames of Enhanced RTMP', () => {
    for (const first of ['92', '94', '95', 'd1', 'd0'])
      expect(readVideoTag(tag(first, 'avc1', '00000000'))).toEqual(ignored)
  })

  it('refuses several video tracks by name, even when nothing follows', () => {
    expect(readVideoTag(bytes('96'))).toEqual({ kind: 'other', codec: 'several video tracks' })
  })

  it('ignores an extended tag that ends within its four-character code', () => {
    expect(readVideoTag(tag('91', 'avc'))).toEqual(ignored)
    expect(readVideoTag(tag('91', 'hvc'))).toEqual(ignored)
    expect(readVideoTag(tag('91', 'hvc1'))).toEqual({ kind: 'other', codec: 'HEVC' })
  })

  it.each([
    ['hvc1', 'HEVC'],
    ['hev1', 'HEVC'],
    ['av01', 'AV1'],
    ['vp08', 'VP8'],
    ['vp09', 'VP9'],
    ['vvc1', 'VVC'],
    ['xyz~', 'xyz~'],
    ['ab c', 'an unknown codec'],
    ['\0\0\0\0', 'an unknown codec'],
  ])('names the four-character video codec %j: %s', (fourCc, codec) => {
    expect(readVideoTag(tag('91', fourCc, '000000aa'))).toEqual({ kind: 'other', codec })
  })

  it('skips one or several ModEx prefixes of video, short and long', () => {
    const plain = ['1701000000aa', true, false]
    // Sizes are one less than the bytes that follow.
    expect(shown(readVideoTag(tag('97', 'avc1', 'aa', '00 11 03')))).toEqual(plain)
    expect(shown(readVideoTag(tag('97', 'avc1', 'aa', '02 112233 03')))).toEqual(plain)
    expect(shown(readVideoTag(tag('97', 'avc1', 'aa', '00 11 07 00 22 03')))).toEqual(plain)
    expect(shown(readVideoTag(tag('97', 'avc1', 'aa', `ff 0001 1122 03`)))).toEqual(plain)
    expect(shown(readVideoTag(tag('97', 'avc1', 'aa', `ff 0100 ${'11'.repeat(257)} 03`)))).toEqual(plain)
    expect(shown(readVideoTag(tag('97', 'avc1', '000050aa', '00 11 11')))).toEqual(['1701000050aa', true, false])
  })

  it.each(['97', '97 00', '97 00 11', '97 05 1122', '97 ff', '97 ff 00', '97 ff 0000', '97 ff ffff 11'])(
    'ignores a video tag whose ModEx prefix is cut short: %s',
    (hex) => {
      expect(readVideoTag(bytes(hex))).toEqual(ignored)
    },
  )

  it('keeps what it converts in memory of its own', () => {
    const read = readVideoTag(tag('93', 'avc1', 'aabb'))
    expect(read.kind === 'media' && [read.body.byteOffset, read.body.buffer.byteLength]).toEqual([0, 7])
  })
})

describe('readAudioTag', () => {
  it.each([
    ['a frame', 'af 01 21', false],
    ['a sequence header', 'af 00 1190', true],
    ['a frame that says mono', 'ae 01 21', false],
  ])('takes %s of plain AAC as it is, never as a key frame', (_, hex, configuration) => {
    const body = bytes(hex)
    const read = readAudioTag(body)
    expect(read).toEqual({ kind: 'media', body, keyFrame: false, configuration })
    expect(read.kind === 'media' && read.body).toBe(body)
  })

  it.each([
    ['an empty body', ''],
    ['AAC without a byte of data', 'af 01'],
    ['an unknown packet type', 'af 02 11'],
  ])('ignores sound that is %s', (_, hex) => {
    expect(readAudioTag(bytes(hex))).toEqual(ignored)
  })

  it.each([
    ['0f', 'PCM'],
    ['1f', 'ADPCM'],
    ['2f', 'MP3'],
    ['3f', 'PCM'],
    ['4f', 'Nellymoser'],
    ['5f', 'Nellymoser'],
    ['6f', 'Nellymoser'],
    ['7f', 'G.711'],
    ['8f', 'G.711'],
    ['bf', 'Speex'],
    ['df', 'Opus'],
    ['ef', 'MP3'],
    ['cf', 'audio codec 12'],
    ['ff', 'audio codec 15'],
  ])('names the codec of a plain audio tag that begins with %s: %s', (hex, codec) => {
    expect(readAudioTag(bytes(`${hex} 01 aa`))).toEqual({ kind: 'other', codec })
  })

  it('turns a sequence start and coded frames of Enhanced RTMP into plain AAC', () => {
    expect(shown(readAudioTag(tag('90', 'mp4a', '1190')))).toEqual(['af001190', false, true])
    expect(shown(readAudioTag(tag('91', 'mp4a', '2122')))).toEqual(['af012122', false, false])
  })

  it('ignores the end of a sequence, a channel configuration, further tracks and empty sound of Enhanced RTMP', () => {
    for (const first of ['92', '94', '95']) expect(readAudioTag(tag(first, 'mp4a', '11'))).toEqual(ignored)
    expect(readAudioTag(tag('95', 'Opus', '11'))).toEqual(ignored)
    expect(readAudioTag(tag('91', 'mp4a'))).toEqual(ignored)
    expect(readAudioTag(tag('91', 'mp4'))).toEqual(ignored)
    expect(readAudioTag(tag('91', 'Opu'))).toEqual(ignored)
    expect(readAudioTag(tag('91', 'Opus'))).toEqual({ kind: 'other', codec: 'Opus' })
  })

  it.each([
    ['Opus', 'Opus'],
    ['fLaC', 'FLAC'],
    ['ac-3', 'AC-3'],
    ['ec-3', 'E-AC-3'],
    ['.mp3', 'MP3'],
    ['abcd', 'abcd'],
  ])('names the four-character audio codec %s: %s', (fourCc, codec) => {
    expect(readAudioTag(tag('91', fourCc, 'aa'))).toEqual({ kind: 'other', codec })
  })

  it('skips ModEx prefixes of sound, and ignores one that is cut short', () => {
    expect(shown(readAudioTag(tag('97', 'mp4a', '21', '01 1122 01')))).toEqual(['af0121', false, false])
    expect(readAudioTag(bytes('97 01 11'))).toEqual(ignored)
  })

  it('keeps the sound that it converts in memory of its own', () => {
    const read = readAudioTag(tag('91', 'mp4a', '2122'))
    expect(read.kind === 'media' && [read.body.byteOffset, read.body.buffer.byteLength]).toEqual([0, 4])
  })
})
