import type { Words } from '../../format/languages.ts'

/** Words of the log of a broadcast. */
export const logWords = {
  log: {
    title: { en: 'This broadcast', zh: '本场记录' },
    last: { en: 'Last broadcast', zh: '上次直播' },
    empty: { en: 'What happens to the push is listed here, newest first.', zh: '推流的经过列在这里，新的在前。' },
    hosted: {
      en: 'A hosted service does not tell what happens to a push. Tallies are asked for every few seconds.',
      zh: '托管服务不报告推流经过，状态每隔几秒查询一次。',
    },
    started: { en: 'Push started', zh: '开始推流' },
    firstKeyFrame: { en: 'First key frame', zh: '首个关键帧' },
    codecs: { en: 'Codecs: {detail}', zh: '编码格式：{detail}' },
    ended: { en: 'Push ended', zh: '推流结束' },
    lost: { en: 'Connection to the encoder lost', zh: '与编码器的连接中断' },
    end: {
      silent: { en: 'it sent nothing for 10 s', zh: '10 s 没有发送任何内容' },
      stopped: { en: 'the encoder stopped', zh: '编码器已停止' },
      disabled: { en: 'the channel was disabled', zh: '频道已停用' },
      deleted: { en: 'the channel was deleted', zh: '频道已删除' },
      codec: { en: 'its codec cannot be broadcast', zh: '编码格式不支持' },
      closing: { en: 'the service was closed', zh: '服务已关闭' },
    },
    refused: { en: 'Push refused', zh: '推流被拒绝' },
    replaced: { en: 'Another encoder took over', zh: '另一编码器已接替' },
    silent: { en: 'Nothing comes from the encoder', zh: '编码器没有发送任何内容' },
    stalled: { en: 'Nothing came from the encoder for {detail} s', zh: '编码器曾有 {detail} s 没有发送任何内容' },
    retimed: { en: 'Timestamps corrected', zh: '时间戳已校正' },
    leftOut: { en: 'Media left out', zh: '有媒体未保留' },
    serviceLost: { en: 'Service stopped answering', zh: '服务停止应答' },
    serviceRestart: { en: 'Restart {detail} of the service began', zh: '服务第 {detail} 次重启开始' },
    serviceStart: { en: 'The service starts', zh: '服务启动' },
    serviceBack: { en: 'Service running again', zh: '服务已恢复运行' },
    recordingStarted: { en: 'Recording started', zh: '开始录制' },
    recordingStopped: { en: 'Recording stopped', zh: '录制已停止' },
    recordingEnded: { en: 'Recording ended', zh: '录制结束' },
    fileReady: { en: 'File ready: {detail}', zh: '文件已就绪：{detail}' },
    merged: { en: 'Merged: {detail}', zh: '已合并：{detail}' },
    marked: { en: 'Marked', zh: '已标记' },
    remedy: {
      hevc: { en: 'Set the encoder to H.264.', zh: '请将编码器设为 H.264。' },
      aac: { en: 'Set the audio encoder to AAC.', zh: '请将音频编码器设为 AAC。' },
      key: { en: 'Copy the key again.', zh: '请重新复制密钥。' },
      keyFrom: {
        en: 'With a wrong key, from {from}. Only if that was your encoder, copy the key into it again.',
        zh: '来自 {from}，密钥错误。仅当那是你的编码器时，请重新复制密钥。',
      },
      expired: { en: 'Get a fresh address.', zh: '请获取新地址。' },
      disabled: { en: 'Resume the channel.', zh: '请恢复频道。' },
      busy: { en: 'Stop the other encoder first.', zh: '请先停止另一编码器。' },
      pace: {
        en: 'It is let in once a second. Let it wait longer before it reconnects, and stop other encoders with this key.',
        zh: '每秒只允许接入一次。请让编码器隔更久再重连，并停止使用同一密钥的其他编码器。',
      },
      retimed_jump: {
        en: 'They jumped. Time goes on as it passed here. Restart the encoder if this repeats.',
        zh: '时间戳跳变，改按到达时间计时。若反复出现，请重启编码器。',
      },
      retimed_back: {
        en: 'They went back. Time goes on as it passed here. Restart the encoder if this repeats.',
        zh: '时间戳倒退，改按到达时间计时。若反复出现，请重启编码器。',
      },
      retimed_still: {
        en: 'They stood still. Time goes on as it passed here. Restart the encoder if this repeats.',
        zh: '时间戳停滞，改按到达时间计时。若反复出现，请重启编码器。',
      },
      retimed_apart: {
        en: 'Sound and picture were too far apart and are put together. Check the audio offset in the encoder.',
        zh: '音画时间戳相差过大，已对齐。请检查编码器的音频偏移。',
      },
      leftOut_early: {
        en: 'Frames came before their decoder configuration. Restart the push if there is no picture or sound.',
        zh: '解码配置到达前的帧未采用。若没有画面或声音，请重新推流。',
      },
      leftOut_configuration: {
        en: 'A decoder configuration cannot be read. Check the encoder settings.',
        zh: '解码配置无法读取。请检查编码器设置。',
      },
      leftOut_longGop: {
        en: 'No key frame for 20 s or 32 MiB: new viewers wait for the next one. Set the key frame interval to 2 s.',
        zh: '20 秒或 32 MiB 内没有关键帧，新观众要等下一个。请将关键帧间隔设为 2 秒。',
      },
      leftOut_segment: {
        en: 'More media came at once than an HLS segment holds. Lower the bitrate.',
        zh: '同一时刻的媒体超出一个 HLS 分段的容量。请降低码率。',
      },
      leftOut_sound: {
        en: 'More sound came than time passed. Restart the encoder if this repeats.',
        zh: '声音多于经过的时间。若反复出现，请重启编码器。',
      },
      leftOut_shortSlice: { en: 'A recorded slice under 1 s is not kept.', zh: '不足 1 秒的录制分片不保留。' },
      leftOut_fullSlice: {
        en: 'The slice is full and no key frame came. Recording goes on at the next one.',
        zh: '分片已满，且没有关键帧。录制会在下一个关键帧继续。',
      },
      recording_space: { en: 'The disk is nearly full.', zh: '磁盘空间即将用尽。' },
      recording_readonly: { en: 'The folder may not be written.', zh: '文件夹不可写。' },
      recording_folder: { en: 'The folder is gone.', zh: '文件夹已不存在。' },
      recording_slow: { en: 'The disk is too slow.', zh: '磁盘速度过慢。' },
      recording_error: { en: 'See the log of the service.', zh: '请查看服务日志。' },
    },
  },
} satisfies Words
