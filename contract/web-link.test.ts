import { array, assert as holds, constantFrom, property, string as anyString, webUrl } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxAddress, linkedParts, readWebLink, shownName, shownText } from './web-link.ts'

/** Displayed addresses of a text. */
const links = (text: string): string[] =>
  linkedParts(text).flatMap((part) => (typeof part === 'string' ? [] : [part.written]))
/** The whole displayed text. */
const shown = (text: string): string =>
  linkedParts(text)
    .map((part) => (typeof part === 'string' ? part : part.written))
    .join('')

describe('an address in a text', () => {
  it.each([
    ['look at https://show.example/list', ['https://show.example/list']],
    ['看https://show.example/list，谢谢', ['https://show.example/list']],
    ['（https://show.example/节目）', ['https://show.example/节目']],
    ['«https://show.example»', ['https://show.example']],
    ['http://a.example:8080/x?y=1&z=%20#part.', ['http://a.example:8080/x?y=1&z=%20#part']],
    ['(see https://wiki.example/Song_(live)).', ['https://wiki.example/Song_(live)']],
    [
      'https://a.example, https://b.example; https://c.example!',
      ['https://a.example', 'https://b.example', 'https://c.example'],
    ],
    ['Https://a.example HTTPS://B.example', ['Https://a.example', 'HTTPS://B.example']],
    ['https://例子.example/', ['https://例子.example/']],
    ['https://[2001:db8::1]/x', ['https://[2001:db8::1]/x']],
    ['line\nhttps://a.example\tend', ['https://a.example']],
    ['"https://a.example"', ['https://a.example']],
  ])('of %j is a link', (text, expected) => {
    expect(links(text)).toEqual(expected)
    expect(shown(text)).toBe(text)
  })

  const never = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'java\u0000script:alert(1)',
    ' javascript:alert(1)',
    'javascript://https.example/%0aalert(1)',
    'javascript:https://a.example/',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'file://server/share',
    'FILE:///C:/Windows',
    'smb://host/share',
    'ms-msdt:/id PCWDiagnostic',
    'ms-word:ofe|u|https://a.example/x.docx',
    'microsoft-edge:https://a.example/',
    'search-ms:query=x&crumb=location:https://a.example',
    'view-source:https://a.example/',
    'jar:https://a.example!/x',
    'blob:https://a.example/1',
    'app://sidestage/',
    'about:blank',
    'mailto:a@b.example',
    'tel:+1',
    'ftp://a.example/',
    '\\\\server\\share',
    '\\\\?\\C:\\',
    '//a.example/x',
    'www.a.example',
    'hTtPs://a.example/',
    'hTTp://a.example/',
    'https:a.example',
    'https:/a.example',
    'https:///a.example',
    'https:\\\\a.example',
    'https:/\\a.example',
    'https://a.example\\@evil.example',
    'https://a.example\\.evil.example/',
    'https://ana@evil.example/',
    'https://ana:secret@evil.example/',
    'https://good.example:443@evil.example/',
    'https://@evil.example/',
    'https://:80/',
    'https://',
    'https://?x',
    'https://#x',
    'https://a.example:99999/',
    'https://%65vil.example/',
    'https://a%00.example/',
    'https://a\u0000.example/',
    'https://a\u200b.example/',
    'https://a.example/\u202egpj.exe',
    'https://a.example/\u2066x\u2069',
    'https://a.example/\u061cx',
    'https://a.example/\u3164x',
    'https://a.example/\u2800x',
    'https://a.example/\u00adx',
    'https://a.example/\ufeffx',
    'https://a.example/\ud800x',
    'https://a.example/\u{e0041}',
    'https://a.example/\u0001',
    'https://a.example/\u007f',
    `https://a.example/a${'\u0301'.repeat(9)}`,
    `https://a.example/${'x'.repeat(maxAddress)}`,
    'xhttps://a.example',
    'https://a.example/what-was-cut…',
    'https://https://',
  ]
  it.each(never)('is not in %j', (text) => {
    expect(links(text)).toEqual([])
    expect(readWebLink(text)).toBeUndefined()
  })

  it('is where it seems to be: a line break or a space ends it', () => {
    expect(links('https://a.example\u00a0.evil.example')).toEqual(['https://a.example'])
    expect(links('https://a.example<b>.evil.example')).toEqual(['https://a.example'])
    expect(links('https://a.example\r\n.evil.example')).toEqual(['https://a.example'])
    expect(linkedParts('\u202ehttps://a.example')).toEqual([readWebLink('https://a.example')])
  })

  it('is a link twenty times in one text at most, and text from then on', () => {
    const text = Array.from({ length: 30 }, (_, index) => `https://a.example/${index}`).join(' ')
    expect(links(text)).toHaveLength(20)
    expect(shown(text)).toBe(text)
  })
})

describe('the host of a link', () => {
  it.each([
    ['https://show.example/', 'show.example', []],
    ['https://SHOW.example:8443/', 'show.example:8443', []],
    ['https://例子.example/', 'xn--fsqu00a.example', ['encoded']],
    ['https://xn--fsqu00a.example/', 'xn--fsqu00a.example', ['encoded']],
    ['https://аpple.example/', 'xn--pple-43d.example', ['encoded', 'mixed']], // Begins with a Cyrillic letter.
    ['https://аррӏе.example/', 'xn--80ak6aa92e.example', ['encoded']],
    ['https://gοοgle.example/', 'xn--ggle-0nda.example', ['encoded', 'mixed']], // Two Greek letters.
    ['https://東京tokyo.example/', 'xn--tokyo-w91hq39l.example', ['encoded']],
    ['https://ラーメン.example/', 'xn--4dkp5a8a.example', ['encoded']],
    ['https://ｇｏｏｄ.example/', 'good.example', []],
    ['http://2130706433/', '127.0.0.1', ['number']],
    ['http://0x7f.1/', '127.0.0.1', ['number']],
    ['http://[::1]/', '[::1]', ['number']],
    ['http://192.168.0.1:8080/x', '192.168.0.1:8080', ['number']],
  ])('of %s is %s', (text, host, warnings) => {
    expect(readWebLink(text)).toMatchObject({ host, warnings })
  })
})

describe('a shown text', () => {
  it('has nothing that hides or turns around, and no piles of marks', () => {
    expect(shownText('c\u200bar\u200ba \u202egnp.exe\u202c\u0000\ufeff')).toBe('cara gnp.exe')
    expect(shownText('\u3164\u115f\u200b')).toBe('')
    expect(shownText(`Z${'\u0351'.repeat(40)}a`)).toBe(`Z${'\u0351'.repeat(4)}a`)
    expect(shownText('two\nlines\tand more')).toBe('two\nlines\tand more')
  })

  it('of a name is one line, and never nothing', () => {
    expect(shownName(' ana\u200b\n\nmei ', 'id')).toBe('ana mei')
    expect(shownName('\u2800ana\u{1d159}\u2800mei\u{13441}', 'id')).toBe('ana mei')
    for (const name of [
      '',
      ' ',
      '\u200b\u202e',
      '\u3164',
      '\u2063\u00ad',
      '\u2800',
      '\u{1d159} \u{16fe4}',
      '\ufe0f',
      '\u0301',
    ])
      expect(shownName(name, 'id')).toBe('id')
  })

  it('keeps emoji and words of other scripts whole', () => {
    for (const text of ['👨‍👩‍👧‍👦 ❤️ 🏳️‍🌈 👩🏽‍🚀', 'می‌خواهم', 'ภาษาไทย', 'नमस्ते', '한국어', 'e\u0301'])
      expect(shownText(text), text).toBe(text)
  })
})

describe('whatever is written', () => {
  const tricky = constantFrom(
    'https://',
    'http://',
    'HTTPS:',
    '//',
    '\\',
    '@',
    ':',
    '/',
    '?',
    '#',
    '%',
    '.',
    'a.example',
    'xn--',
    'javascript:',
    'data:',
    'file:',
    '\u202e',
    '\u200b',
    '\u0000',
    '\t',
    '\n',
    ' ',
    '（',
    '）',
    '(',
    ')',
    'а',
    '例',
    '👩‍🚀',
    '\ud800',
    'x',
    '1',
    '[',
    ']',
    '"',
    '<',
  )
  const texts = array(tricky, { maxLength: 14 }).map((parts) => parts.join(''))

  it('is shown in full and in order, and every link leads to a host by http or https that is read out of what is shown', () => {
    const check = (text: string): void => {
      expect(shown(text)).toBe(shownText(shown(text)))
      for (const part of linkedParts(text)) {
        if (typeof part === 'string') continue
        expect(text).toContain(part.written)
        const url = new URL(part.href)
        expect(url.protocol).toMatch(/^https?:$/)
        expect(url.username + url.password).toBe('')
        expect(part.host).toBe(url.host)
        expect(part.host).toMatch(/^[\u0021-\u007e]+$/)
        expect(part.written).not.toMatch(/[\s\p{C}\\@]*[\s\p{C}\\]/u)
        expect(readWebLink(part.written)).toEqual(part)
        // Parsing the result again gives the same.
        expect(readWebLink(part.href)?.href).toBe(part.href)
      }
    }
    holds(property(texts, check), { numRuns: 3000 })
    holds(property(anyString({ unit: 'binary', maxLength: 200 }), check))
  })

  it('loses nothing but what is not seen', () => {
    holds(
      property(texts, (text) => {
        expect(shown(text).replace(/[\s\p{C}]/gu, '')).toBe(text.replace(/[\s\p{C}]/gu, ''))
      }),
    )
  })

  it('that is an ordinary address is one', () => {
    holds(
      property(webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(readWebLink(url)?.href).toBe(URL.parse(url)?.href)
      }),
    )
  })
})
