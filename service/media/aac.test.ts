import { expect, test } from 'vitest'
import { aacName, readAacConfiguration } from './aac.ts'

test.each([
  ['1190', 'AAC-LC 48 kHz stereo', 'mp4a.40.2'],
  ['119056e500', 'AAC-LC 48 kHz stereo', 'mp4a.40.2'],
  ['1208', 'AAC-LC 44.1 kHz mono', 'mp4a.40.2'],
  ['11b0', 'AAC-LC 48 kHz 5.1', 'mp4a.40.2'],
  ['2b118800', 'HE-AAC 48 kHz stereo', 'mp4a.40.5'],
  ['eb098800', 'HE-AAC v2 48 kHz stereo', 'mp4a.40.29'],
  ['131056e598', 'HE-AAC 48 kHz stereo', 'mp4a.40.5'],
])('%s is %s', (hex, name, codec) => {
  const read = readAacConfiguration(Buffer.from(hex, 'hex'))
  expect(read && aacName(read)).toBe(name)
  expect(read?.codec).toBe(codec)
})

test.each(['', '11', '0000', '1690', 'ff'])('%s is refused', (hex) => {
  expect(readAacConfiguration(Buffer.from(hex, 'hex'))).toBeUndefined()
})
