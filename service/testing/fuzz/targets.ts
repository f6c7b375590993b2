import { amf0Target } from './amf0-target.ts'
import { answersTarget } from './answers-target.ts'
import { chunksTarget } from './chunks-target.ts'
import { flvTarget } from './flv-target.ts'
import { gateTarget } from './gate-target.ts'
import { tagsTarget } from './tags-target.ts'
import type { FuzzTarget } from './target.ts'
import { timelinesTarget } from './timelines-target.ts'

/** Readers of a publisher's data and of a server's answers, and the gate of rooms. */
export const targets: readonly FuzzTarget[] = [
  amf0Target,
  answersTarget,
  chunksTarget,
  flvTarget,
  gateTarget,
  tagsTarget,
  timelinesTarget,
]
