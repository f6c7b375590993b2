import { describe, expect, it } from 'vitest'
import { rewritePlaylist } from './playlist.ts'

const base = new URL('http://media.example:8711/live/abc/playlist.m3u8?t=1')
const shown = (text: string): string => rewritePlaylist(text, base, (url) => `<${url?.href ?? 'none'}>`)

describe('a playlist', () => {
  it('has every address rewritten, in lines and in attributes', () => {
    expect(
      shown(
        '#EXTM3U\r\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI="init.mp4",BYTERANGE="100@0"\n# a comment http://evil.example/\n#EXTINF:2.0,URI="not one"\nseg-1.m4s\n\n/other/seg-2.m4s\n#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/k"\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="../audio.m3u8"\nhttp://media.example:8711/abs.ts\n#EXT-X-ENDLIST',
      ),
    ).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:7',
        '#EXT-X-MAP:URI="<http://media.example:8711/live/abc/init.mp4>",BYTERANGE="100@0"',
        '# a comment http://evil.example/',
        '#EXTINF:2.0,URI="<http://media.example:8711/live/abc/not%20one>"',
        '<http://media.example:8711/live/abc/seg-1.m4s>',
        '',
        '<http://media.example:8711/other/seg-2.m4s>',
        '#EXT-X-KEY:METHOD=AES-128,URI="<https://keys.example/k>"',
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="<http://media.example:8711/live/audio.m3u8>"',
        '<http://media.example:8711/abs.ts>',
        '#EXT-X-ENDLIST',
      ].join('\n'),
    )
  })

  it('names what cannot be read as an address', () => {
    expect(shown('#EXTM3U\nhttp://[bad\n')).toContain('<none>')
  })

  it('is refused when it is none, or has too many addresses', () => {
    expect(() => shown('<html>')).toThrow('not a playlist')
    expect(() => shown(`#EXTM3U\n${'a.ts\n'.repeat(5_001)}`)).toThrow('too many')
  })

  it('may begin with a byte order mark, and have 5,000 addresses', () => {
    expect(shown('\uFEFF#EXTM3U\na.ts')).toContain('<http://media.example:8711/live/abc/a.ts>')
    expect(shown(`#EXTM3U\n${'a.ts\n'.repeat(5_000)}`).match(/</g)).toHaveLength(5_000)
    expect(() => shown(`#EXTM3U\n${'#EXT-X-MAP:URI="a"\n'.repeat(5_001)}`)).toThrow('too many')
  })
})
