import { describe, expect, it } from 'vitest'
import { anchorsOf, citationFaults } from './citations.ts'

const anchors = new Set(
  anchorsOf('# Behaviour\n\nText with # inside.\n\n### HLS playlists\n\n### `accid`, and names\n'),
)

describe('references of comments', () => {
  it('find the headings of a page as GitHub names them', () => {
    expect([...anchors]).toEqual(['behaviour', 'hls-playlists', 'accid-and-names'])
  })

  it('to a heading that is there pass', () => {
    expect(citationFaults('/** Length of a segment (behaviour.md#hls-playlists). */', anchors)).toEqual([])
  })

  it('to a heading that is not there are named with their line', () => {
    expect(citationFaults('//\n// (behaviour.md#hls) and behaviour.md#accid-and-names', anchors)).toEqual([
      '2: behaviour.md#hls is no heading of docs/behaviour.md',
    ])
  })

  it.each([
    '(decisions, Live)',
    '(design, 7)',
    '(design notes, 2)',
    '(issue: First light)',
    '(DESIGN rule 11: disconnect)',
    '(3-chatrooms States; decisions, Chatrooms)',
    'CHECKS 5',
  ])('to %s are refused', (cited) => {
    expect(citationFaults(`// Why ${cited}.`, anchors)).toEqual([`1: ${cited} is no page of the repository`])
  })

  it('are not seen in code', () => {
    expect(citationFaults("if (issue?.code === 'x') call(issues as readonly Issue[])", anchors)).toEqual([])
  })
})
