import process from 'node:process'

/** A part of the process's descriptors; whoever holds a socket takes one and gives it back once. */
export interface DescriptorShare {
  /** False when none is left for this share. */
  take(): boolean
  give(): void
}

/** The descriptors of a process that sockets from outside may use. What is left is the app's own: databases, recordings, settings, child processes. */
export interface DescriptorBudget {
  /** How many sockets there may be in all shares. */
  readonly sockets: number
  /** A share of which `kept`, a fraction of the whole, can be taken however full the others are. */
  share(kept: number): DescriptorShare
}

/** Where a process has no limit that can be read (Windows), sockets are handles and no descriptors; this is far more than its listeners take. */
const unlimited = 65_536
/** Descriptors that are never given to a socket: a quarter of the limit, at most this many. */
const maxReserve = 512

interface UserLimits {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } }
}

/** The open files that the system allows this process (RLIMIT_NOFILE, which Node raises to its hard limit at the start). */
export function descriptorLimit(): number {
  const soft = (process.report.getReport() as UserLimits).userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : unlimited
}

/** Divides the descriptors of a process. The fractions kept by all shares together must not exceed 1. */
export function createDescriptorBudget(limit: number = descriptorLimit()): DescriptorBudget {
  const sockets = limit - Math.min(maxReserve, Math.ceil(limit / 4))
  const shares: { readonly kept: number; used: number }[] = []
  return {
    sockets,
    share(fraction) {
      const share = { kept: Math.floor(sockets * fraction), used: 0 }
      shares.push(share)
      return {
        take() {
          let spoken = 0
          for (const each of shares) spoken += each === share ? each.used : Math.max(each.used, each.kept)
          if (spoken >= sockets) return false
          share.used += 1
          return true
        },
        give() {
          share.used -= 1
        },
      }
    },
  }
}
