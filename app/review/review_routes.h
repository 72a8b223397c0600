// Answers the requests of the review's page.
#pragma once

#include <functional>

#include "app/review/http_message.h"
#include "app/review/rendering.h"
#include "app/review/review_gate.h"
#include "app/review/review_pictures.h"
#include "app/review/review_session.h"

namespace facepipe::app {

/// Holds the objects that answer the requests. Everything must outlive the server.
struct ReviewParts {
  ReviewGate& gate;
  ReviewSession& session;
  FramePictures& frames;
  BoxPictures& boxes;
  Rendering& rendering;
  std::function<void()> quit;  ///< ends the review; called at most once for each request
};

/// Answers a request that the gate has let in:
///
///     GET  /open?t=TOKEN                lets the browser in
///     GET  / /review.css /review.js     the page
///     GET  /tracks                      ReviewSession::tracks_json()
///     GET  /boxes?from&to&score         boxes_json(); the score in percent
///     GET  /frame?pts&w&choice          a JPEG; its own stamp is in the header X-Pts. The choice
///     is
///                                       shown, after, before or key
///     GET  /thumb/ID/NUMBER             a JPEG of ReviewSession::box_for_picture()
///     GET  /state                       {"saving": saving_json(), "rendering": state_json()}
///     GET  /findings                    Rendering::findings_json()
///     POST /changes                     ReviewSession::change()
///     POST /render, /render/stop        Rendering::order(), stop()
///     POST /quit                        ends the review, unless a rendering is under way
///
/// Everything else is refused with 404 or 405, malformed values with 400, and what can't be done
/// now with 409. Thread-safe.
[[nodiscard]] HttpAnswer answer_review(const HttpRequest& request, const ReviewParts& parts);

}  // namespace facepipe::app
