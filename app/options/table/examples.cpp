// The examples in the help of each command.
#include "app/options/table.h"

namespace facepipe::app {

std::vector<Example> examples_of(Commands command) {
  switch (command) {
    case kRun:
      return {{"Draw a box around each face; the copy is clip_faces.mp4", "facepipe run clip.mp4"},
              {"Do so for all videos of a folder, and write the faces to a file",
               "facepipe run holiday/ -o out/ --detections faces.jsonl"},
              {"Draw scores and landmarks into ten seconds of a video",
               "facepipe run clip.mp4 --draw scores,landmarks --start 1:30 --end 1:40"}};
    case kHide:
      return {{"Hide all faces; the copy is clip_hidden.mp4", "facepipe hide clip.mp4"},
              {"Look twice at each frame, and hide faces behind ellipses",
               "facepipe hide clip.mp4 --careful --shape ellipse"},
              {"Hide what a person has decided in an edit file that detect has written",
               "facepipe hide clip.mp4 --tracks tracks.json -o hidden.mp4"}};
    case kDetect:
      return {{"Write the faces of each frame to a file",
               "facepipe detect clip.mp4 --detections faces.jsonl"},
              {"Write the tracks of faces for a person to edit",
               "facepipe detect clip.mp4 --write-tracks tracks.json"}};
    case kPlanRun:
      return {{"Tell what run would do with a video, and how long it would take",
               "facepipe plan run clip.mp4"},
              {"Do so for all videos of a folder, as JSON",
               "facepipe plan run holiday/ -o out/ --json"}};
    case kPlanHide:
      return {{"Tell what hide would do with a video, and how long it would take",
               "facepipe plan hide clip.mp4 --careful"}};
    case kSplitRun:
      return {{"Plan four parts of a long video", "facepipe split run clip.mp4 --parts 4"}};
    case kSplitHide:
      return {{"Plan four parts of a long video whose faces are hidden",
               "facepipe split hide clip.mp4 --parts 4"}};
    case kPart:
      return {{"Make the first part", "facepipe part clip.parts.json 1 --out parts"},
              {"Make the part of this task of an array",
               "facepipe part clip.parts.json auto --out parts"}};
    case kJoin:
      return {{"Make clip_faces.mp4 of all parts, and write the faces to a file",
               "facepipe join clip.parts.json --from parts --detections faces.jsonl"}};
    case kReview:
      return {{"Find the faces of a video, and look at them in the browser",
               "facepipe review clip.mp4"},
              {"Look at tracks that detect has written, and write the decisions to another file",
               "facepipe review clip.mp4 --tracks tracks.json --edits edits.json"}};
    case kVerify:
      return {{"Look for faces that a hidden video still shows",
               "facepipe verify clip.mp4 clip_hidden.mp4"},
              {"Write what was found to a file",
               "facepipe verify clip.mp4 clip_hidden.mp4 --report found.json"}};
    case kCalibrate:
      return {{"Measure the default model on photos with faces",
               "facepipe calibrate photo1.jpg photo2.jpg -o ranges.i8.json"}};
    case kModelCheck:
      return {
          {"Tell what a model is, and how fast each engine is", "facepipe model check model.onnx"},
          {"Look at a picture with the model",
           "facepipe model check model.onnx --picture photo.jpg"}};
    case kDoctor:
      return {{"Tell which devices, engines and encoders work here", "facepipe doctor"}};
    case kHelp:
      return {{"Print the help of a command", "facepipe help hide"},
              {"Print the man page of a command of two words", "facepipe help --man model check"},
              {"Print the table of all options for a program", "facepipe help --json"}};
    case kCompletion:
      return {{"Print the script for Bash; docs/options.md says where it belongs",
               "facepipe completion bash"}};
    default:
      return {};
  }
}

}  // namespace facepipe::app
