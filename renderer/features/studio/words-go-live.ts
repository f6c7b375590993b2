import type { Words } from '../../format/languages.ts'
import { goLiveOutsideWords } from './words-go-live-outside.ts'

/** Words of the check before a broadcast. */
export const goLiveWords = {
  goLive: {
    run: { en: 'Check everything…', zh: '全面检查…' },
    title: { en: 'Go-live check', zh: '开播检查' },
    lead: {
      en: 'Every line is tried, not assumed, and followed until this is closed.',
      zh: '每一项都实际验证，而非推断，并在关闭前持续跟踪。',
    },
    again: { en: 'Check again', zh: '重新检查' },
    ready: { en: 'Ready to go live.', zh: '可以开播。' },
    readyBut: {
      en: 'Ready, with {n} note. | Ready, with {n} notes.',
      zh: '可以开播，有 {n} 处提示。 | 可以开播，有 {n} 处提示。',
    },
    faults: { en: '{n} fault to fix. | {n} faults to fix.', zh: '有 {n} 处故障需要处理。 | 有 {n} 处故障需要处理。' },
    checking: {
      en: 'Checking, {n} line to go. | Checking, {n} lines to go.',
      zh: '检查中，还剩 {n} 项。 | 检查中，还剩 {n} 项。',
    },
    state: {
      ok: { en: 'in order', zh: '正常' },
      warn: { en: 'note', zh: '提示' },
      fault: { en: 'fault', zh: '故障' },
      wait: { en: 'not known yet', zh: '尚不清楚' },
      none: { en: 'not given', zh: '不提供' },
    },
    name: {
      profile: { en: 'Service and clock', zh: '服务与时钟' },
      key: { en: 'Key', zh: '推流密钥' },
      ingest: { en: 'Push', zh: '推流' },
      flv: { en: 'HTTP-FLV', zh: 'HTTP-FLV' },
      hls: { en: 'HLS', zh: 'HLS' },
      audio: { en: 'Sound', zh: '声音' },
      recording: { en: 'Recording', zh: '录制' },
      disk: { en: 'Disk', zh: '磁盘' },
      share: { en: 'Who can watch', zh: '谁能观看' },
      targets: { en: 'Also send to', zh: '同时推到' },
      room: { en: 'Room', zh: '聊天室' },
      moderators: { en: 'Moderators', zh: '房管' },
    },
    from: {
      profile: { en: 'from a signed call', zh: '来自一次签名调用' },
      key: { en: 'from the push address', zh: '来自推流地址' },
      ingest: { en: 'from the service', zh: '来自服务' },
      polled: { en: 'from the tally as last asked for', zh: '来自最近一次查询的状态' },
      flv: { en: 'from the stream, as the preview reads it', zh: '来自预览读取的流' },
      hls: { en: 'from playlist and segment, as the preview reads them', zh: '来自预览读取的播放列表和分段' },
      audio: { en: 'from the stream', zh: '来自流' },
      recording: { en: 'from the service', zh: '来自服务' },
      disk: { en: 'from the service', zh: '来自服务' },
      share: { en: 'as measured last', zh: '来自最近一次测量' },
      targets: { en: 'from the service', zh: '来自服务' },
      room: { en: 'from the service', zh: '来自服务' },
      moderators: { en: 'from the seats', zh: '来自席位' },
    },
    fix: {
      profiles: { en: 'Open Profiles', zh: '打开配置' },
      restart: { en: 'Start the service', zh: '启动服务' },
      renew: { en: 'Get a fresh address', zh: '获取新地址' },
      copy: { en: 'Copy push URL', zh: '复制推流地址' },
      resume: { en: 'Resume the channel', zh: '恢复频道' },
      again: { en: 'Try again', zh: '重试' },
      recordings: { en: 'Free space…', zh: '腾出空间…' },
      folder: { en: 'Another folder…', zh: '换个文件夹…' },
      room: { en: 'Open Room', zh: '打开聊天室' },
      openRoom: { en: 'Open the room', zh: '开启聊天室' },
      unmute: { en: 'Lift the mute', zh: '解除全员禁言' },
      moderators: { en: 'Open Moderators', zh: '打开房管' },
      share: { en: 'Who can watch…', zh: '谁能观看…' },
      target: { en: 'Open the target…', zh: '打开目标…' },
      failed: { en: 'That did not work.', zh: '未能完成。' },
      copied: { en: 'Copied.', zh: '已复制。' },
    },
    wait: { en: 'Not known yet.', zh: '尚不清楚。' },
    unknown: { en: 'Not known now.', zh: '目前无法得知。' },
    waitPush: { en: 'Waits for the push.', zh: '等待推流。' },
    profile: {
      ok: {
        en: 'Answered in {ms} ms and took the signature, so the clock is right.',
        zh: '{ms} 毫秒内应答并接受了签名，因此时钟正确。',
      },
    },
    key: {
      ok: { en: 'Good for {days} d {clock}.', zh: '有效期还有 {days} 天 {clock}。' },
      endless: { en: 'Good without an end.', zh: '长期有效。' },
      soon: {
        en: 'Good for {clock} only. A push that runs goes on, a new one is refused after that.',
        zh: '有效期只剩 {clock}。正在进行的推流不受影响，此后新的推流会被拒绝。',
      },
      expired: { en: 'Expired. The next push is refused.', zh: '已过期。下一次推流会被拒绝。' },
    },
    ingest: {
      ok: { en: 'On air: {codecs}.', zh: '直播中：{codecs}。' },
      live: { en: 'On air.', zh: '直播中。' },
      silent: {
        en: 'On air, but nothing arrives from the encoder. Look whether it runs and is connected.',
        zh: '直播中，但编码器没有数据到达。请查看它是否在运行并已连接。',
      },
      held: {
        en: 'The encoder is lost and the picture is held. Look whether it runs and is connected.',
        zh: '编码器已中断，画面保持中。请查看它是否在运行并已连接。',
      },
      none: {
        en: 'Nothing arrives. Start the encoder with this push address.',
        zh: '没有收到推流。请用此推流地址启动编码器。',
      },
      disabled: { en: 'The channel is disabled, so every push is refused.', zh: '频道已停用，所有推流都会被拒绝。' },
      refused_key: {
        en: 'The last push was refused: wrong key. Copy the address again.',
        zh: '上次推流被拒绝：密钥错误。请重新复制地址。',
      },
      refused_keyFrom: {
        en: 'Nobody pushes. A push with a wrong key came from {from}; only if that was your encoder, copy the address into it again.',
        zh: '没有推流。{from} 曾用错误的密钥推流；仅当那是你的编码器时，请重新复制地址。',
      },
      refused_expired: { en: 'The last push was refused: the key has expired.', zh: '上次推流被拒绝：密钥已过期。' },
      refused_disabled: {
        en: 'The last push was refused: the channel is disabled.',
        zh: '上次推流被拒绝：频道已停用。',
      },
      refused_busy: {
        en: 'The last push was refused: another encoder is on air.',
        zh: '上次推流被拒绝：另一编码器正在直播。',
      },
      refused_pace: {
        en: 'The last push was refused: the encoder reconnects too often. It is let in once a second.',
        zh: '上次推流被拒绝：编码器重连过于频繁，每秒只允许接入一次。',
      },
      refused_hevc: {
        en: 'The last push was refused: set the encoder to H.264.',
        zh: '上次推流被拒绝：请将编码器设为 H.264。',
      },
      refused_aac: {
        en: 'The last push was refused: set the audio encoder to AAC.',
        zh: '上次推流被拒绝：请将音频编码器设为 AAC。',
      },
      refused_other: { en: 'The last push was refused.', zh: '上次推流被拒绝。' },
    },
    flv: {
      ok: {
        en: 'Plays: a key frame and {seconds} s of media came.',
        zh: '可以播放：收到了关键帧和 {seconds} 秒的媒体。',
      },
      noPicture: {
        en: 'Answers, but no picture came. Look at the video source of the encoder.',
        zh: '有应答，但没有画面。请检查编码器的视频来源。',
      },
      short: { en: 'Answers, but nothing moves on.', zh: '有应答，但没有后续内容。' },
      failed: { en: 'Does not play: {detail}', zh: '无法播放：{detail}' },
      none: { en: 'This profile gives no HTTP-FLV address.', zh: '此配置不提供 HTTP-FLV 地址。' },
    },
    hls: {
      ok: {
        en: 'Plays: {n} segment, and it is complete. | Plays: {n} segments, the newest is complete.',
        zh: '可以播放：{n} 个分段，最新的一个完整。',
      },
      empty: {
        en: 'The playlist has no segment yet. The first one comes after a few seconds.',
        zh: '播放列表中还没有分段。几秒后会有第一个。',
      },
      broken: { en: 'The newest segment is not readable.', zh: '最新的分段不可读。' },
      failed: { en: 'Does not play: {detail}', zh: '无法播放：{detail}' },
      none: { en: 'This profile gives no HLS address.', zh: '此配置不提供 HLS 地址。' },
    },
    audio: {
      ok: { en: 'Sound comes.', zh: '有声音。' },
      codec: { en: 'Sound comes: {codec}.', zh: '有声音：{codec}。' },
      held: {
        en: 'The picture is held: no sound of the encoder goes out.',
        zh: '画面保持中：不送出编码器的声音。',
      },
      missing: {
        en: 'The stream has no sound. Choose a sound source in the encoder.',
        zh: '流中没有声音。请在编码器中选择声音来源。',
      },
      gaps: {
        en: 'Sound was missing for {seconds} s. Look at the sound device of the encoder.',
        zh: '声音中断了 {seconds} 秒。请检查编码器的声音设备。',
      },
    },
    recording: {
      ok: { en: 'Recording, as wished.', zh: '正在录制，符合设置。' },
      held: { en: 'Recording the held picture.', zh: '正在录制保持的画面。' },
      silent: { en: 'Nothing is written while nothing arrives.', zh: '没有数据到达，因此没有写入。' },
      armed: { en: 'Begins with the push, as wished.', zh: '推流开始后录制，符合设置。' },
      disabled: { en: 'Nothing is recorded while the channel is disabled.', zh: '频道停用期间不会录制。' },
      off: { en: 'Not recorded, as set.', zh: '不录制，符合设置。' },
      waiting: { en: 'Wished, but not recording yet.', zh: '已设置录制，但尚未开始。' },
      unwished: { en: 'Recording, though it is set off.', zh: '正在录制，但设置为不录制。' },
      stopped_space: { en: 'Stopped: the disk is nearly full.', zh: '已停止：磁盘空间即将用尽。' },
      stopped_readonly: { en: 'Stopped: the folder may not be written.', zh: '已停止：文件夹不可写。' },
      stopped_folder: { en: 'Stopped: the folder is gone.', zh: '已停止：文件夹已不存在。' },
      stopped_slow: { en: 'Stopped: the disk is too slow.', zh: '已停止：磁盘速度跟不上。' },
      stopped_error: { en: 'Stopped: the disk reports a fault.', zh: '已停止：磁盘报告了故障。' },
    },
    disk: {
      ok: { en: '{free} free, {size} of it for recordings.', zh: '剩余 {free}，其中 {size} 可供录制。' },
      hours: {
        en: '{free} free, {size} of it for recordings: {hours} h at this bitrate.',
        zh: '剩余 {free}，其中 {size} 可供录制，按当前码率可录 {hours} 小时。',
      },
      low: {
        en: '{free} free, {size} of it for recordings: {hours} h at this bitrate. Delete or move recordings.',
        zh: '剩余 {free}，其中 {size} 可供录制，按当前码率只够 {hours} 小时。请删除或移走录像。',
      },
      full: {
        en: '{free} free, but what is free is held back. Nothing is recorded until there is room.',
        zh: '剩余 {free}，不超过预留空间，无可供录制的空间。腾出空间之前不会录制。',
      },
      none: { en: 'A hosted service does not tell it.', zh: '托管服务不提供。' },
      elsewhere: { en: 'It is that of another computer.', zh: '磁盘在另一台电脑上。' },
    },
    ...goLiveOutsideWords,
    room: {
      ok: {
        en: '{name} is open, {n} online. | {name} is open, {n} online.',
        zh: '{name} 已开启，{n} 人在线。 | {name} 已开启，{n} 人在线。',
      },
      open: { en: '{name} is open.', zh: '{name} 已开启。' },
      none: { en: 'No room is linked to this channel.', zh: '此频道没有关联聊天室。' },
      closed: { en: '{name} is closed: nobody can speak.', zh: '{name} 已关闭，无人能发言。' },
      muted: {
        en: '{name} is muted: only host and moderators can speak.',
        zh: '{name} 已全员禁言，只有主播和房管能发言。',
      },
    },
    moderators: {
      ok: { en: 'Online: {names}.', zh: '在线：{names}。' },
      nobody: {
        en: 'None of {n} moderator is online. | None of {n} moderators is online.',
        zh: '{n} 位房管均不在线。 | {n} 位房管均不在线。',
      },
      none: { en: 'No moderator was invited to this room.', zh: '此聊天室没有邀请过房管。' },
      off: { en: 'Moderators cannot come in: nothing listens for them.', zh: '房管无法进入：没有监听。' },
      noRoom: { en: 'Moderators belong to a room.', zh: '房管属于聊天室。' },
    },
  },
} satisfies Words
