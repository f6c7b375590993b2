import { planMerge as planWhole, planTrim, readMergePart } from '../media/mp4-merge.ts'
import type { ByteSource, MergePart } from '../media/mp4-reader.ts'
import type { CutRange, KnownBytes, WorkResult } from './work.ts'

/** Reads only what is known: the boxes of a movie but for its media. */
export const knownSource = ({ size, pieces }: KnownBytes): ByteSource => ({
  size,
  read(at, length) {
    const piece = pieces.find((each) => each.at <= at && at < each.at + each.bytes.length)
    if (!piece) return Buffer.alloc(0)
    const { buffer, byteOffset } = piece.bytes
    const from = at - piece.at
    return Buffer.from(buffer, byteOffset + from, Math.min(length, piece.bytes.length - from))
  },
})

/** Plans a merge of parts, or a cut of what lies within a range. */
export function planOf(parts: readonly MergePart[], range: CutRange | undefined) {
  if (!range) return { ...planWhole(parts), cut: {} }
  const { from, early, ...plan } = planTrim(parts, range.from, range.to)
  return { ...plan, cut: { from: Math.round(from), early: Math.round(early) } }
}

/** Plans a merge (behaviour.md#merging), byte by byte what `mergeFiles` would make. */
export function planMerge(sources: readonly KnownBytes[], range?: CutRange): WorkResult {
  const parts = sources.map((source) => readMergePart(knownSource(source)))
  const { head, copies, moov, duration, size, cut } = planOf(parts, range)
  const end = new Uint8Array(moov.size)
  let at = 0
  for (const bytes of moov.bytes()) {
    end.set(bytes, at)
    at += bytes.length
  }
  return { bytes: size, duration, ...cut, layout: { head: new Uint8Array(head), copies, end } }
}
